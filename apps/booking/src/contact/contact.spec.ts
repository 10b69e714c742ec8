import { maskEmail, readEmail } from './email-address.js';
import { readPhone } from './phone-number.js';

describe('An e-mail address', () => {
  it.each([
    ['A+tag@X.Test', 'A+tag@x.test'],
    ['lucia.fernandez@example.com', 'lucia.fernandez@example.com'],
    ['j.mueller@bücher.example', 'j.mueller@bücher.example'],
    ["o'brien_{x}@sub.example.ie", "o'brien_{x}@sub.example.ie"],
    [`${'a'.repeat(64)}@x.test`, `${'a'.repeat(64)}@x.test`],
  ])('%s is one: %s', (typed, address) => expect(readEmail(typed)).toEqual({ ok: true, address }));

  it.each([
    '"x@evil.test y"@internal.test',
    'a@x.test, b@evil.test',
    'a@x.test,b@evil.test',
    'a@x.test;b@evil.test',
    'a@x.test b@evil.test',
    'Foo <a@x.test>',
    '<a@x.test>',
    'a@x.test\r\nBcc: b@evil.test',
    'a@x.test\n',
    ' a@x.test',
    'a@x.test\0',
    'a\0@x.test',
    `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(11)}`,
    `${'a'.repeat(65)}@x.test`,
    'a..b@x.test',
    '.a@x.test',
    'a.@x.test',
    '"a b"@x.test',
    'a@b@x.test',
    'a(comment)@x.test',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@localhost',
    'a@x..test',
    'a@-x.test',
    'a@x.test.',
    'a@x_y.test',
    'a@evil.test／x.example',
    '@x.test',
    'a@',
    'a',
    '',
  ])('%j is refused', (typed) => expect(readEmail(typed).ok).toBe(false));

  it('whose local part is beyond ASCII is refused with the reason', () => {
    expect(readEmail('zoë@example.ie')).toMatchObject({
      ok: false,
      why: expect.stringContaining('before the @') as string,
    });
  });

  it('is shown so that only its owner knows it', () => {
    expect(maskEmail('lucia.fernandez@example.com')).toBe('l***@example.com');
    expect(maskEmail('x@example.com')).toBe('x***@example.com');
  });
});

describe('A phone number', () => {
  it.each([
    ['+34911234567', '+34911234567'],
    ['+34 911 23 45 67', '+34911234567'],
    ['+1 (212) 555-0123', '+12125550123'],
    ['+81312345678', '+81312345678'],
    ['+96522451234', '+96522451234'],
    ['+6493001234', '+6493001234'],
  ])('%s is %s', (typed, number) => expect(readPhone(typed)).toBe(number));

  it.each([
    '911234567',
    '0034911234567',
    '+34',
    '+',
    'tel:+34911234567',
    '+34911234567;ext=1',
    '+34911234567\n',
    '+999123456789',
    '+3491123456789012345',
    '',
  ])('%j is refused', (typed) => expect(readPhone(typed)).toBeUndefined());
});
