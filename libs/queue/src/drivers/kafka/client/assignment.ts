import { AssignerProtocol } from './kafkajs.js';

/** Name of this driver's assignor: a plain consumer in the same group id is refused by the broker, as it should be. */
export const ASSIGNOR = 'ackline-1';

/** What a worker says of itself when it joins. */
export interface Subscription {
  readonly owned: readonly number[];
  /** All its handlers wait: as long as others can, they take its partitions. */
  readonly stuck: boolean;
}

export interface JoinedWorker extends Subscription {
  readonly memberId: string;
}

/**
 * Shares partitions out evenly, moving as few as possible: everybody keeps what it owns up to its share, the rest goes
 * to those that have least. Owned by two (one of them has not heard of its loss) counts for the first by member id.
 */
export function assignPartitions(
  partitions: readonly number[],
  workers: readonly JoinedWorker[],
): ReadonlyMap<string, readonly number[]> {
  const able = workers.filter(({ stuck }) => !stuck);
  const ordered = [...(able.length > 0 ? able : workers)].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const free = new Set(partitions);
  const kept = ordered.map(({ memberId, owned }) => ({
    memberId,
    owned: owned.filter((partition) => free.delete(partition)),
  }));
  // Those with most keep the larger shares: `extra` of them have one more than the others.
  const share = Math.floor(partitions.length / Math.max(1, ordered.length));
  let extra = partitions.length % Math.max(1, ordered.length);
  kept.sort((a, b) => b.owned.length - a.owned.length);
  const quotas = kept.map(({ owned }) => {
    const larger = owned.length > share && extra > 0;
    if (larger) extra--;
    return share + (larger ? 1 : 0);
  });
  kept.forEach(({ owned }, index) => owned.splice(quotas[index]!).forEach((partition) => free.add(partition)));
  const rest = [...free].sort((a, b) => a - b);
  for (const partition of rest) {
    const least = kept.reduce((a, b) => (b.owned.length < a.owned.length ? b : a));
    least.owned.push(partition);
  }
  const none = workers.map(({ memberId }) => [memberId, [] as readonly number[]] as const);
  return new Map([...none, ...kept.map(({ memberId, owned }) => [memberId, owned.sort((a, b) => a - b)] as const)]);
}

export function encodeSubscription(topic: string, subscription: Subscription): Buffer {
  const userData = Buffer.from(JSON.stringify(subscription));
  return AssignerProtocol.MemberMetadata.encode({ version: 1, topics: [topic], userData });
}

export function decodeSubscription(memberMetadata: Buffer): Subscription {
  try {
    const { userData } = AssignerProtocol.MemberMetadata.decode(memberMetadata) ?? {};
    const said = JSON.parse((userData ?? Buffer.alloc(0)).toString('utf8')) as Partial<Subscription>;
    const owned = Array.isArray(said.owned) ? said.owned.filter((partition) => Number.isInteger(partition)) : [];
    return { owned, stuck: said.stuck === true };
  } catch {
    return { owned: [], stuck: false };
  }
}

export function encodeAssignment(topic: string, partitions: readonly number[]): Buffer {
  return AssignerProtocol.MemberAssignment.encode({
    version: 1,
    assignment: { [topic]: [...partitions] },
    userData: Buffer.alloc(0),
  });
}

export function decodeAssignment(topic: string, memberAssignment: Buffer): readonly number[] {
  return AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topic] ?? [];
}
