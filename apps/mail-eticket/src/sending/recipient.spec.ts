import { recipientAddress } from './recipient.js';

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
  ])('is not %j (P13)', (email) => {
    expect(() => recipientAddress(email)).toThrow('recipient_invalid');
  });

  it.each([
    ['A+tag@X.Test', 'A+tag@x.test'],
    ['o’neill@x.test'.replace('’', "'"), "o'neill@x.test"],
    ['zoe@bücher.example', 'zoe@bücher.example'],
    ['zoe@उदाहरण.example', 'zoe@उदाहरण.example'],
    ['root@localhost', 'root@localhost'],
    ['a{b}=c/d@x.test', 'a{b}=c/d@x.test'],
  ])('is %s', (email, address) => {
    expect(recipientAddress(email)).toBe(address);
  });

  it('with letters beyond ASCII before the @ needs a relay that can do so, and is refused as such', () => {
    expect(() => recipientAddress('zoë@example.ie')).toThrow('recipient_needs_smtputf8');
  });

  it.each(['zoë@example.com', '用户@例子.example', 'José.Ñ@example.com'])(
    'may have letters of any script before the @ where the relay passes them on: %s',
    (email) => {
      expect(recipientAddress(email, true)).toBe(email);
      expect(() => recipientAddress(email)).toThrow('recipient_needs_smtputf8');
    },
  );

  it.each([
    'zoë..b@example.com',
    'zo\u200bë@example.com',
    'zoë\u202e@example.com',
    'zoë x@example.com',
    `${'ë'.repeat(33)}@example.com`,
  ])('is refused there too when it is none: %j', (email) => {
    expect(() => recipientAddress(email, true)).toThrow('recipient_invalid');
  });
});
