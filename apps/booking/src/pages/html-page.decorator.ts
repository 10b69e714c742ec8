import { applyDecorators, Header, HttpCode } from '@nestjs/common';

/**
 * A page. `kept`: the browser may keep it for the back button and asks before it shows it again; `secret`: it holds
 * personal data of a stored booking and is not kept. A form's answer has no status of its own, so it is 200.
 */
export function HtmlPage(copies: 'kept' | 'secret'): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    Header('content-type', 'text/html; charset=utf-8'),
    Header('cache-control', copies === 'kept' ? 'private, no-cache' : 'private, no-store'),
  );
}
