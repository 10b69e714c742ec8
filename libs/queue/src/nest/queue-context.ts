import { BaseRpcContext } from '@nestjs/microservices';
import type { Delivery } from '../delivery.js';

/** What `@Ctx()` gives a handler: its delivery. */
export class QueueContext extends BaseRpcContext<[Delivery]> {
  /** The delivery: its count, its signal, and ack, nack and reject for handlers that settle by themselves. */
  get delivery(): Delivery {
    return this.args[0];
  }
}
