import type { Ackline } from 'ackline';
// #region dead-letters
export async function lookAfterDeadLetters(ackline: Ackline): Promise<void> {
  const letters = ackline.deadLetters('orders', 'invoices');
  console.table(await letters.countByError()); // [{ errorCode: 'smtp_550', count: 12 }, …]
  for await (const { id, errorCode, deliveryCount } of letters.list({ key: 'customer-7' })) {
    console.log(id, errorCode, deliveryCount);
  }
  const options = { actor: 'ana', ratePerSecond: 50 };
  console.log(await letters.redrive({ errorCode: 'smtp_550' }, { ...options, dryRun: true })); // 12
  await letters.redrive({ errorCode: 'smtp_550' }, options);
  await letters.discard({ deadBefore: new Date(Date.now() - 14 * 86_400_000) }, { actor: 'ana' });
  console.table(await letters.acts()); // who did what, when, to how many
}
// #endregion
