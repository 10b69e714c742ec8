import { canonicalJson } from './canonical-json.js';
import { readIdempotencyKey } from './idempotency-key.js';

describe('An Idempotency-Key', () => {
  it.each([
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"8e03978e"', '8e03978e'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    [' k ', 'k'],
    ['k'.repeat(255), 'k'.repeat(255)],
  ])('%j is the key %j', (header, key) => expect(readIdempotencyKey(header)).toBe(key));

  it.each([undefined, '', '  ', '""', 'a b', 'schlüssel', 'k'.repeat(256), ['a', 'b']])('%j is refused', (header) => {
    expect(() => readIdempotencyKey(header)).toThrow('Idempotency-Key');
  });
});

describe('Canonical JSON', () => {
  it('is the same however members are ordered, and another for another value', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});
