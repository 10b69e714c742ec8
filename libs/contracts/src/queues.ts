/** Queues that two apps share. On Kafka each has 8 partitions; the message key is always the booking id. */
export const QUEUES = {
  eticketConfirmed: 'eticket-confirmed',
  eticketCancelled: 'eticket-cancelled',
  eticketMailStatus: 'eticket-mail-status',
} as const;

export type QueueName = (typeof QUEUES)[keyof typeof QUEUES];

/** Consumer groups, one for each service that handles a shared queue. */
export const CONSUMER_GROUPS = {
  mailEticket: 'mail-eticket',
  bookingMailStatus: 'booking',
} as const;
