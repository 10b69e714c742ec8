import { Inject } from '@nestjs/common';
import type { InjectionToken } from '@nestjs/common';
import { Ackline } from '../ackline.js';
import { checkName } from '../names.js';
import { QueueClient } from './queue-client.js';

/** Token of the `Ackline` of a `QueueModule`: the class itself, or for a named module a text. */
export function acklineToken(name?: string): InjectionToken<Ackline> {
  return name === undefined ? Ackline : `ackline/${name}`;
}

/** Token of the `QueueClient` of a `QueueModule`: the class itself, or for a named module a text. */
export function queueClientToken(name?: string): InjectionToken<QueueClient> {
  return name === undefined ? QueueClient : `ackline/${name}/client`;
}

/** Token of a group's `DeadLetters`, as `QueueModule.forFeature` provides it. */
export function deadLettersToken(queue: string, group: string, name?: string): InjectionToken {
  checkName('queue', queue);
  checkName('group', group);
  return `ackline/${name === undefined ? '' : `${name}/`}dead-letters/${queue}/${group}`;
}

/** Injects the `Ackline` of the `QueueModule` of that name; without a name the class alone does. */
export function InjectAckline(name?: string): ParameterDecorator & PropertyDecorator {
  return Inject(acklineToken(name));
}

/** Injects the `QueueClient` of the `QueueModule` of that name; without a name the class alone does. */
export function InjectQueueClient(name?: string): ParameterDecorator & PropertyDecorator {
  return Inject(queueClientToken(name));
}

/** Injects a group's `DeadLetters` that `QueueModule.forFeature` provides. */
export function InjectDeadLetters(queue: string, group: string, name?: string): ParameterDecorator & PropertyDecorator {
  return Inject(deadLettersToken(queue, group, name));
}
