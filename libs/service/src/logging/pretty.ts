import { PinoPretty } from 'pino-pretty';

/** Lines for people, in this process: a worker thread would lose the last ones at exit. */
export function pretty(): ReturnType<typeof PinoPretty> {
  return PinoPretty({ sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname,service' });
}
