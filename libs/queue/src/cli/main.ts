import { runCli } from './program.js';

const stop = new AbortController();
let asked = 0;
const interrupt = (): void => {
  asked += 1;
  // Asked twice, it leaves at once.
  if (asked > 1) process.exit(130);
  stop.abort();
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// `ackline tail … | head` has read what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  stop.abort();
});

const { env, stdin, stdout, stderr } = process;
const exitCode = await runCli(process.argv.slice(2), { env, stdin, stdout, stderr, signal: stop.signal });
// What is written to a pipe is on its way until the write's callback.
await new Promise<void>((resolve) => (stdout.writable ? stdout.write('', () => resolve()) : resolve()));
process.exit(exitCode);
