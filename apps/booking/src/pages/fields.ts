import type { FieldError } from '@eticket/service/problems';
import type { Words } from './words.js';

/** What the partial `field` shows. */
export interface Field {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** In the list of errors, where the label alone would stand there several times. */
  readonly fullLabel?: string | undefined;
  readonly type?: 'text' | 'date' | 'email' | 'tel';
  readonly value: string;
  readonly options?: readonly { readonly value: string; readonly label: string; readonly selected: boolean }[];
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly describedBy?: string;
  readonly autocomplete?: string;
  readonly autocapitalize?: 'words' | 'characters' | 'none';
  readonly list?: string;
  readonly min?: string;
  readonly max?: string;
  readonly maxlength?: number;
  readonly required?: boolean;
  readonly placeholder?: string;
}

type FieldDetails = Omit<Field, 'id' | 'value' | 'error' | 'options' | 'describedBy'> & {
  readonly choices?: readonly (readonly [value: string, label: string])[];
};

/** Form fields as text; of a field sent twice the last. */
export type FormValues = Readonly<Record<string, string>>;

export function formValues(body: unknown): FormValues {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(typeof body === 'object' && body !== null ? body : {})) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') values[name] = last;
  }
  return values;
}

/** The fields of one form: with what was typed, and what is wrong with it. */
export class Form {
  private readonly shown: Field[] = [];

  constructor(
    readonly values: FormValues,
    /** By field name: the code of what is wrong. */
    private readonly wrong: ReadonlyMap<string, string>,
    private readonly words: Words,
  ) {}

  field({ choices, ...details }: FieldDetails): Field {
    const { name, hint } = details;
    const id = name.replaceAll('.', '-');
    const value = this.values[name] ?? '';
    const code = this.wrong.get(name);
    const error = code === undefined ? undefined : this.errorText(code, value);
    const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(error === undefined ? [] : [`${id}-error`])];
    const field: Field = {
      type: 'text',
      ...details,
      id,
      value,
      error,
      ...(described.length > 0 && { describedBy: described.join(' ') }),
      ...(choices && {
        options: choices.map(([choice, label]) => ({ value: choice, label, selected: choice === value })),
      }),
    };
    this.shown.push(field);
    return field;
  }

  /** For the list above the form, in the order of the fields. */
  get errors(): readonly object[] {
    return this.shown
      .filter(({ error }) => error !== undefined)
      .map(({ id, label, fullLabel = label, error }) => ({ id, label: fullLabel, text: error }));
  }

  private errorText(code: string, value: string): string {
    if (value.trim() === '' && code !== 'not_found') return this.words.t('errors.required');
    return this.words.find(`errors.${code}`) ?? (code.includes(' ') ? code : this.words.t('errors.other'));
  }
}

/** Errors of the API by the names of form fields: `/passengers/0/bornOn` is `p0.bornOn`, `/contact/email` is `email`. */
export function byFieldName(errors: readonly FieldError[]): ReadonlyMap<string, string> {
  return new Map(
    errors
      .map(({ pointer, code }): [string, string] => [
        pointer.replace(/^\/passengers\/(\d+)\//, 'p$1.').replace(/^\/(contact\/|payment\/)?/, ''),
        code,
      ])
      .reverse(),
  );
}
