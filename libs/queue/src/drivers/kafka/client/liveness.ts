import type { ClusterLink } from './cluster-link.js';

const REQUEST_DEADLINE_MS = 5_000;
const BETWEEN_LOOKS_MS = 150;

/** Client id of a worker's membership; its last part names the worker. */
export function workerClientId(clientId: string, worker: string): string {
  return `${clientId}:${worker}`;
}

/**
 * Which of these workers are dead: absent from two descriptions of the group in a row, both stable (in the middle of a
 * rebalance the living may be missing). A worker that the group dropped has ended its leases by then: it counts from
 * before its last heartbeat was sent, the group from when it came.
 */
export async function deadWorkers(
  link: ClusterLink,
  groupId: string,
  workers: readonly string[],
): Promise<readonly string[]> {
  const first = await livingWorkers(link, groupId);
  if (!first) return [];
  const absent = workers.filter((worker) => !first.has(worker));
  if (absent.length === 0) return [];
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  const second = await livingWorkers(link, groupId);
  return second ? absent.filter((worker) => !second.has(worker)) : [];
}

/** Undefined while the group is not stable. */
async function livingWorkers(link: ClusterLink, groupId: string): Promise<ReadonlySet<string> | undefined> {
  const coordinator = await link.coordinatorOf(groupId);
  const { groups } = await link.request('describe group', REQUEST_DEADLINE_MS, () =>
    coordinator.describeGroups({ groupIds: [groupId] }),
  );
  const group = groups.find((each) => each.groupId === groupId);
  if (group?.state !== 'Stable') return undefined;
  return new Set(group.members.map(({ clientId }) => clientId.slice(clientId.lastIndexOf(':') + 1)));
}
