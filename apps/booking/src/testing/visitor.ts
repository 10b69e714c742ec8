/** A page as a visitor without JavaScript has it. */
export interface Page {
  readonly status: number;
  readonly path: string;
  readonly html: string;
  /** Without tags, entities read. */
  readonly text: string;
}

/** A browser's manners without a browser: keeps cookies by path, follows redirects, sends forms with their fields. */
export class Visitor {
  private readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(
    private readonly origin: string,
    readonly headers: Record<string, string> = {},
  ) {}

  async get(path: string): Promise<Page> {
    return this.go(path, { method: 'GET' });
  }

  /** The fields of the form that goes to `action`, with `values` filled in. */
  async submit(page: Page, action: string | RegExp, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const form = formsOf(page.html).find((each) =>
      typeof action === 'string' ? each.action === action : action.test(each.action),
    );
    if (!form) throw new Error(`no form for ${String(action)} on ${page.path}`);
    return this.post(form.action, { ...form.fields, ...values });
  }

  async post(path: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    return this.go(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  private async go(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...this.cookies].filter(([, { path: of }]) => path.startsWith(of));
    const response = await fetch(this.origin + path, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: cookie.map(([name, { value }]) => `${name}=${value}`).join('; '),
        ...this.headers,
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, { value, path: /path=([^;]+)/i.exec(line)?.[1] ?? '/' });
    }
    const location = response.headers.get('location');
    if (location !== null) return this.go(location, { method: 'GET' });
    const html = await response.text();
    return { status: response.status, path, html, text: unescape(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ') };
  }
}

function formsOf(html: string): readonly { readonly action: string; readonly fields: Record<string, string> }[] {
  return [...html.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', body = '']) => {
    const fields: Record<string, string> = {};
    for (const [tag] of body.matchAll(/<input[^>]*>/g)) {
      const name = / name="([^"]*)"/.exec(tag)?.[1];
      if (name !== undefined) fields[name] = unescape(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
    }
    for (const [, name = '', options = ''] of body.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
      const selected = /value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options);
      fields[name] = selected?.[1] ?? '';
    }
    return { action: unescape(action), fields };
  });
}

function unescape(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(?:#x([0-9a-f]+)|(\w+));/gi, (all, hex: string | undefined, name: string) =>
    hex === undefined ? (named[name] ?? all) : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
