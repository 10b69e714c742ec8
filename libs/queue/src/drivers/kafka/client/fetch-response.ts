import type { ProtocolBroker, RawFetchedPartition, RawRecord } from './kafkajs-protocol.js';
import { toRecords } from './decoded-cursor.js';
import { BatchCursor, isPlain } from './record-cursor.js';

/** What kafkajs sends, and how it reads the answer. */
interface ProtocolRequest {
  readonly request: { readonly apiVersion: number };
  readonly response: { readonly decode: (answer: Buffer) => Promise<FetchResponse> };
}
type Lookup = (apiKey: number, definition: unknown) => (options: unknown) => ProtocolRequest;

interface FetchResponse {
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly RawFetchedPartition[] }[];
}

/** Kafka 2.3 or newer; older brokers, and compressed batches, are left to kafkajs. */
const FETCH_VERSION = 11;

/**
 * The same broker, whose fetches leave the records of plain batches undecoded. kafkajs decodes each into a dozen objects
 * at once, which costs more than all that this driver does with them.
 */
export function leavingRecords(broker: ProtocolBroker): ProtocolBroker {
  const lookup = (broker as unknown as { readonly lookupRequest?: Lookup }).lookupRequest;
  if (!lookup) return broker;
  const lookupRequest: Lookup = (apiKey, definition) => {
    const make = lookup(apiKey, definition);
    return (options) => {
      const protocol = make(options);
      if (protocol.request.apiVersion !== FETCH_VERSION) return protocol;
      const decode = (answer: Buffer): Promise<FetchResponse> =>
        Promise.resolve(decodeFetch(answer) ?? protocol.response.decode(answer));
      return { ...protocol, response: { ...protocol.response, decode } };
    };
  };
  return Object.create(broker, { lookupRequest: { value: lookupRequest } }) as ProtocolBroker;
}

/** Undefined where a part of it has to be read by kafkajs. */
function decodeFetch(answer: Buffer): FetchResponse | undefined {
  const read = new Reader(answer);
  const clientSideThrottleTime = read.int32();
  const errorCode = read.int16();
  const sessionId = read.int32();
  const responses: { topicName: string; partitions: RawFetchedPartition[] }[] = [];
  for (let topics = read.int32(); topics > 0; topics--) {
    const topicName = read.string();
    const partitions: RawFetchedPartition[] = [];
    for (let left = read.int32(); left > 0; left--) {
      const head = {
        partition: read.int32(),
        errorCode: read.int16(),
        highWatermark: String(read.int64()),
        lastStableOffset: String(read.int64()),
        lastStartOffset: String(read.int64()),
      };
      // What was aborted is told record by record: rare, and kafkajs knows how.
      if (read.int32() > 0) return undefined;
      const preferredReadReplica = read.int32();
      const batches = read.bytes();
      if (!isPlain(batches)) return undefined;
      partitions.push({
        ...head,
        abortedTransactions: [],
        preferredReadReplica,
        batches,
        get messages(): readonly RawRecord[] {
          return toRecords(new BatchCursor(batches, 0));
        },
      } as RawFetchedPartition);
    }
    responses.push({ topicName, partitions });
  }
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses } as FetchResponse;
}

class Reader {
  #at = 0;

  constructor(private readonly buffer: Buffer) {}

  int16(): number {
    this.#at += 2;
    return this.buffer.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.buffer.readInt32BE(this.#at - 4);
  }

  int64(): number {
    return this.int32() * 4_294_967_296 + (this.int32() >>> 0);
  }

  string(): string {
    const length = this.int16();
    this.#at += length;
    return this.buffer.toString('utf8', this.#at - length, this.#at);
  }

  bytes(): Buffer {
    const length = Math.max(0, this.int32());
    this.#at += length;
    return this.buffer.subarray(this.#at - length, this.#at);
  }
}
