import type { Ackline } from 'ackline';
// #region tail
export async function refreshCaches(ackline: Ackline): Promise<void> {
  const tail = ackline.tail({ queue: 'price-changes', from: 'latest' }, ({ key }) => forget(key));
  await tail.ready; // from now on nothing is missed, a lost connection included
}
// #endregion

declare function forget(key: string | undefined): void;
