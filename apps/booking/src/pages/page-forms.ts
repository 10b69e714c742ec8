import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FormGuard } from '../security/form-guard.js';
import { formValues, type FormValues } from './fields.js';

/** What the partial `hidden` shows. */
export interface HiddenField {
  readonly name: string;
  readonly value: string;
}

const TOKEN = 'formToken';

/** What every form that is posted has in common: a token of ours, and fields that are text. */
@Injectable()
export class PageForms {
  constructor(private readonly guard: FormGuard) {}

  /** What was typed. @throws ProblemError 403 for a form that is not of our pages. */
  async read(body: unknown, request: FastifyRequest): Promise<FormValues> {
    const values = formValues(body);
    await this.guard.check(request, values[TOKEN]);
    return values;
  }

  /** The hidden fields of a form: its token, and `values`. Gives the browser its cookie. */
  async hidden(
    request: FastifyRequest,
    reply: FastifyReply,
    values: readonly HiddenField[] = [],
  ): Promise<readonly HiddenField[]> {
    return [{ name: TOKEN, value: await this.guard.token(request, reply) }, ...values];
  }
}
