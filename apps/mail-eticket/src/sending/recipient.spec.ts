import { asciiAddress, needsSmtpUtf8, recipientAddress } from './recipient.js';

describe('A recipient', () => {
  it.each([
    '"x@evil.test y"@internal.test',
    'a@x.test, b@evil.test',
    'a@x.test;b@evil.test',
    'Foo <a@x.test>',
    '<a@x.test>',
    'a@x.test\r\nRCPT TO:<b@evil.test>',
    'a@x.test\r\nBcc: b@evil.test',
    'a\u0000@x.test',
    'a@x.test\u0000',
    `${'a'.repeat(64)}@${'b'.repeat(186)}.test`,
    `${'a'.repeat(65)}@x.test`,
    'a..b@x.test',
    '.a@x.test',
    'a.@x.test',
    'a@@x.test',
    'a@b@x.test',
    '@x.test',
    'a@',
    'a',
    '',
    'a b@x.test',
    'a@x..test',
    'a@-x.test',
    'a@x.test.',
    'a@[127.0.0.1]',
    'a(comment)@x.test',
    'group:a@x.test;',
    'a@127.0.0.1',
    'a@1.2',
    'a@xn--zz--z.test',
    `a@${'ü'.repeat(60)}.test`,
  ])('is not %j (P13)', (email) => {
    expect(() => recipientAddress(email)).toThrow('recipient_invalid');
  });

  it.each([
    ['A+tag@X.Test', 'A+tag@x.test'],
    ["o'neill@x.test", "o'neill@x.test"],
    ['root@localhost', 'root@localhost'],
    ['a{b}=c/d@x.test', 'a{b}=c/d@x.test'],
  ])('is %s', (email, address) => {
    expect(recipientAddress(email)).toBe(address);
  });

  // Expected forms by https://www.rfc-editor.org/rfc/rfc5890 and UTS 46, not by the code.
  it.each([
    ['zoe@bücher.example', 'zoe@xn--bcher-kva.example'],
    ['zoe@BÜCHER.example', 'zoe@xn--bcher-kva.example'],
    ['zoe@xn--bcher-kva.example', 'zoe@xn--bcher-kva.example'],
    ['zoe@उदाहरण.example', 'zoe@xn--p1b6ci4b4b3a.example'],
    ['info@例子.example', 'info@xn--fsqu00a.example'],
    // As validators and browsers read it; small letters first would be another domain.
    ['zoe@straẞe.example', 'zoe@strasse.example'],
  ])('at an international domain is written with its ASCII form, which every relay takes: %s', (email, address) => {
    expect(recipientAddress(email)).toBe(address);
    expect(needsSmtpUtf8(address)).toBe(false);
  });

  it.each([
    ['zoë@example.com', 'zoë@example.com'],
    ['用户@例子.example', '用户@例子.example'],
    ['用户@xn--fsqu00a.example', '用户@例子.example'],
    ['José.Ñ@EXAMPLE.com', 'José.Ñ@example.com'],
  ])('may have letters of any script before the @, for a relay that takes them: %s', (email, address) => {
    expect(recipientAddress(email)).toBe(address);
    expect(needsSmtpUtf8(address)).toBe(true);
    expect(() => asciiAddress(email)).toThrow('recipient_needs_smtputf8');
  });

  it.each([
    'zoë..b@example.com',
    'zo\u200bë@example.com',
    'zoë\u202e@example.com',
    'zoë x@example.com',
    `${'ë'.repeat(33)}@example.com`,
    'zoë@xn--\u00a0.example',
  ])('of that kind is refused too when it is none: %j', (email) => {
    expect(() => recipientAddress(email)).toThrow('recipient_invalid');
  });
});
