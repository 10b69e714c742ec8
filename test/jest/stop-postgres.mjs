export default async function stopPostgres() {
  await globalThis.__testPostgres?.stop();
}
