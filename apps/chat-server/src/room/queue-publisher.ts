import { roomEventMessage } from '@eticket/chat-room';
import type { RoomEvent } from '@eticket/chat-room';
import { BrokerUnavailableError } from 'ackline';
import type { Ackline } from 'ackline';
import { Publisher, RoomUnavailableError } from './publisher.js';

// #region queue-publisher
/** The room's topic is a queue. */
export class QueuePublisher extends Publisher {
  constructor(
    private readonly ackline: Ackline,
    private readonly topic: string,
  ) {
    super();
  }

  async publish(event: RoomEvent, id: string): Promise<void> {
    try {
      await this.ackline.publish(this.topic, roomEventMessage(event, id));
    } catch (cause) {
      if (!(cause instanceof BrokerUnavailableError)) throw cause;
      throw new RoomUnavailableError('the room cannot be written', { cause });
    }
  }
}
// #endregion
