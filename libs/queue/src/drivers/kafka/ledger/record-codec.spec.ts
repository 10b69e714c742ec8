import { LEDGER_FORMAT, UnreadableLedgerError, decodeRecord, encodeRecord } from './record-codec.js';
import type { LedgerRecord } from './records.js';

const by = { worker: 'w', seq: 7, at: 1_700_000_000_000 };
const message = {
  id: 'id 1',
  key: 'clé',
  headers: { a: 'ß' },
  publishedAt: 5,
  payload: Uint8Array.from({ length: 256 }, (_, index) => index),
};
const records: readonly LedgerRecord[] = [
  { type: 'init', low: 3 },
  { type: 'claim', ...by },
  { type: 'lease', claim: 4, ranges: [[1, 5]], keys: ['k', '', '', '', ''], ...by },
  { type: 'lease', claim: 4, ranges: [[9, 9]], alone: true, ...by },
  { type: 'settle', done: [[1, 2]], released: [[3, 3]], nacked: [[4, 99, 'smtp_451']], ...by },
  { type: 'note', claim: 4, skipped: [[6, 7]], deferred: [[8, 9, 'k']], ...by },
  { type: 'void', claim: 4, workers: ['x'], ...by },
  { type: 'copy', offset: 4, round: 0, message, ...by },
  { type: 'redrive', offset: 4, round: 1, key: 'k', message },
  {
    type: 'snapshot',
    lands: 12,
    state: { low: 1, done: [], entries: [], rounds: [], owner: 'w', claim: 4, writers: [['w', 7, 1]] },
    ...by,
  },
];

describe('the bytes of a ledger record', () => {
  it.each(records)('bring back the $type record', (record) => {
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  it('begin with the format', () => {
    for (const record of records) expect(encodeRecord(record)[0]).toBe(LEDGER_FORMAT);
  });

  it.each([
    ['nothing', null],
    ['no bytes', Buffer.alloc(0)],
    ['another format', Buffer.from([LEDGER_FORMAT + 1, 1, 0x7b, 0x7d])],
    ['an unknown type', Buffer.from([LEDGER_FORMAT, 99, 0x7b, 0x7d])],
    ['broken JSON', Buffer.from([LEDGER_FORMAT, 1, 0x7b])],
    ['a cut copy', encodeRecord(records[7]!).subarray(0, 20)],
  ])('are refused where they are %s', (_what, bytes) => {
    expect(() => decodeRecord(bytes)).toThrow(UnreadableLedgerError);
  });
});
