import { createRequire } from 'node:module';
import fc from 'fast-check';
import { toRecords } from './decoded-cursor.js';
import { BatchCursor, isPlain } from './record-cursor.js';
import { fromRecord, readMessage } from '../kafka-message.js';
import type { RawRecord } from './kafkajs-protocol.js';

interface Given {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Record<string, string>;
  readonly sinceBase: number;
  /** Offsets that compaction has taken before it. */
  readonly gap: number;
}

const require = createRequire(import.meta.url);
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (options: object) => Promise<{ buffer: Buffer }>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => unknown;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: unknown,
) => Promise<{ records: RawRecord[] }>;
const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => { canReadBytes(n: number): boolean };

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const given: fc.Arbitrary<Given> = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(fc.stringMatching(/^[a-zé-]{1,12}$/), fc.string({ unit: 'grapheme', maxLength: 20 })),
  sinceBase: fc.integer({ min: -5_000, max: 10_000_000_000 }),
  gap: fc.constantFrom(0, 0, 0, 1, 40),
});

/** As a broker holds them: by kafkajs's own encoder. */
async function encode(firstOffset: number, firstTimestamp: number, records: readonly Given[]): Promise<Buffer> {
  let delta = -1;
  const encoded = records.map(({ key, value, headers, sinceBase, gap }) => {
    delta += 1 + gap;
    return encodeRecord({ key, value, headers, offsetDelta: delta, timestampDelta: sinceBase });
  });
  const about = { firstOffset, firstTimestamp, maxTimestamp: firstTimestamp, lastOffsetDelta: delta };
  return (await RecordBatch({ ...about, records: encoded })).buffer;
}

const text = (record: RawRecord) => ({
  offset: record.offset,
  timestamp: record.timestamp,
  key: record.key?.toString('latin1'),
  value: record.value?.toString('latin1'),
  headers: Object.entries(record.headers).map(([name, value]) => [name, String(value)]),
  isControlRecord: record.isControlRecord,
});

describe('a cursor over record batches', () => {
  it('reads what kafkajs reads', async () => {
    const batches = fc.array(fc.array(given, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, fc.nat({ max: 2 ** 40 }), fc.nat({ max: 30 }), async (all, start, skipped) => {
        const stretches: Buffer[] = [];
        const expected: RawRecord[] = [];
        let next = start;
        for (const records of all) {
          const stretch = await encode(next, 1_800_000_000_000, records);
          stretches.push(stretch);
          const decoded = (await decodeBatch(new Decoder(stretch))).records;
          // kafkajs takes a header named `constructor` for the property that every object has.
          expected.push(...decoded.map((record, index) => ({ ...record, headers: records[index]!.headers })));
          next += records.reduce((sum, { gap }) => sum + 1 + gap, 0);
        }
        const stretch = Buffer.concat(stretches);
        const from = start + skipped;
        expect(isPlain(stretch)).toBe(true);
        const cursor = new BatchCursor(stretch, from);
        expect(cursor.recordsLeft).toBe(expected.length);
        expect(toRecords(cursor).map(text)).toEqual(expected.filter(({ offset }) => Number(offset) >= from).map(text));
        expect([cursor.end, cursor.recordsLeft, cursor.bytesLeft]).toEqual([Math.max(next, from), 0, 0]);
      }),
    );
  });

  it('has forks that read on from where they were made', async () => {
    const records = ['a', 'b', 'c'].map((value) => ({
      key: null,
      value: Buffer.from(value),
      headers: {},
      sinceBase: 0,
      gap: 0,
    }));
    const batches = Buffer.concat([await encode(0, 1_000, records), await encode(3, 2_000, records)]);
    const cursor = new BatchCursor(batches, 0);
    cursor.next();
    cursor.next();
    const fork = cursor.fork();
    const rest = toRecords(cursor);
    expect([fork.offset, fork.timestamp, fork.value()?.toString()]).toEqual([1, 1_000, 'b']);
    expect(rest.map(({ offset }) => offset)).toEqual(['2', '3', '4', '5']);
    expect(toRecords(fork)).toEqual(rest);
  });

  it('leads to all headers of a message, also those named like what every object has', async () => {
    const headers = Object.fromEntries(
      ['constructor', '__proto__', 'toString', 'x'].map((name) => [name, `its ${name}`]),
    );
    const batch = await encode(0, 1_000, [{ key: null, value: null, headers, sinceBase: 0, gap: 0 }]);
    const cursor = new BatchCursor(batch, 0);
    cursor.next();
    const message = readMessage('q', 0, cursor);
    expect(Object.entries(message.headers)).toEqual(Object.entries(headers));
    const [record] = toRecords(new BatchCursor(batch, 0));
    expect(Object.entries(fromRecord('q', 0, record!).headers)).toEqual(Object.entries(headers));
  });

  it('leaves a batch that is cut off, wherever the cut is', async () => {
    const records = [{ key: null, value: Buffer.from('a'), headers: {}, sinceBase: 0, gap: 0 }];
    const [whole, other] = [await encode(5, 1_000, records), await encode(6, 1_000, records)];
    for (let cut = 0; cut < other.length; cut++) {
      const cursor = new BatchCursor(Buffer.concat([whole, other.subarray(0, cut)]), 5);
      expect([toRecords(cursor).map(({ offset }) => offset), cursor.end]).toEqual([['5'], 6]);
    }
  });

  it('knows what it cannot read: compressed batches, and those of older formats', async () => {
    const batch = await encode(0, 1_000, [{ key: null, value: null, headers: {}, sinceBase: 0, gap: 0 }]);
    const [compressed, older] = [Buffer.from(batch), Buffer.from(batch)];
    compressed[22] = 2;
    older[16] = 1;
    expect([isPlain(batch), isPlain(compressed), isPlain(older)]).toEqual([true, false, false]);
    expect(isPlain(Buffer.concat([batch, compressed]))).toBe(false);
  });
});
