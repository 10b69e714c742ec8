import type { Attributes } from '@opentelemetry/api';
import type { Delivery } from '../../delivery.js';
import { QueueError, RedeliverError, RejectError, StopTheLineError } from '../../errors.js';
import type { Message, PreparedMessage } from '../../message.js';

/**
 * OpenTelemetry's semantic conventions for messaging spans (1.3x, "development"):
 * https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/. Ids and names; never payloads, keys or headers.
 */
const SYSTEM = 'ackline';

/** Of the span around a publish. */
export function publishAttributes(queue: string, messages: readonly PreparedMessage[]): Attributes {
  const [only] = messages;
  return {
    'messaging.system': SYSTEM,
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'publish',
    'messaging.destination.name': queue,
    ...(messages.length === 1 && only
      ? { 'messaging.message.id': only.id, 'messaging.message.body.size': only.payload.byteLength }
      : { 'messaging.batch.message_count': messages.length }),
  };
}

/** Of the span around a handler. */
export function processAttributes(message: Message): Attributes {
  return {
    'messaging.system': SYSTEM,
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': message.queue,
    'messaging.message.id': message.id,
    'messaging.message.body.size': message.payload.byteLength,
  };
}

/** Beside {@link processAttributes}: a group's delivery. */
export function deliveryAttributes({ group, deliveryCount }: Delivery): Attributes {
  return { 'messaging.consumer.group.name': group, 'ackline.delivery_count': deliveryCount };
}

/** `error.type`: a bounded name, never a message, which could hold personal data. */
export function errorType(thrown: unknown): string {
  if (thrown instanceof RejectError || thrown instanceof RedeliverError || thrown instanceof StopTheLineError) {
    return thrown.errorCode;
  }
  if (thrown instanceof QueueError) return thrown.code;
  if (!(thrown instanceof Error)) return '_OTHER';
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? code : thrown.name;
}
