import { InvalidOptionError } from './errors.js';

/** Names of queues and groups: valid in Kafka topics, SQL and metrics alike. */
const NAME = /^[a-z0-9-]{1,80}$/;

/** @throws InvalidOptionError naming the option. */
export function checkName(option: 'queue' | 'group', value: string): void {
  if (!NAME.test(value)) {
    throw new InvalidOptionError(`${option} ${JSON.stringify(value)} is not a name: use 1 to 80 of a-z, 0-9 and "-".`);
  }
}
