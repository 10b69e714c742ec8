/** Processes of the candidates, one task at a time each. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Starts a process of a candidate; resolves when it is connected. */
export async function startProcess(setting, { execPath = process.execPath, execArgv = [] } = {}) {
  const child = fork(WORKER, [JSON.stringify(setting)], {
    execPath,
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const arrived = [];
  const waiting = [];
  let ended = false;
  child.on('message', (message) => {
    const next = waiting.shift();
    if (next) next.resolve(message);
    else arrived.push(message);
  });
  const exited = new Promise((resolve) =>
    child.once('exit', () => {
      ended = true;
      for (const { reject } of waiting.splice(0))
        reject(new Error(`a process of ${setting.candidate} ended too early`));
      resolve();
    }),
  );
  const next = () => {
    if (arrived.length > 0) return Promise.resolve(arrived.shift());
    if (ended) return Promise.reject(new Error(`a process of ${setting.candidate} has ended`));
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  await next();
  return {
    next,
    run(task, options = {}) {
      child.send({ task, ...options });
      return next();
    },
    start: (task, options = {}) => void child.send({ task, ...options }),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Starts, does one task, ends; with its peak of memory. */
export async function inProcess(setting, task, options, how) {
  const started = await startProcess(setting, how);
  try {
    return await started.run(task, options);
  } finally {
    await started.stop();
  }
}

/** Latencies from the call that publishes in one process to the handler in another. */
export async function latencies(setting, { group, concurrency, messages, perSecond }, how) {
  const listener = await startProcess(setting, how);
  const publisher = await startProcess(setting, how);
  try {
    // A second, in which code is compiled and connections are made, is not measured.
    const all = { messages: messages + perSecond, warmUp: perSecond };
    listener.start('listen', { group, concurrency, ...all });
    await listener.next();
    publisher.start('pace', { messages: all.messages, perSecond });
    const heard = await listener.next();
    await publisher.next();
    return heard;
  } finally {
    await Promise.all([listener.stop(), publisher.stop()]);
  }
}
