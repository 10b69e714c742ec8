import { ConfigurationError } from '@eticket/service/environment';
import { readRoomPlace } from './room-place.js';

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readRoomPlace(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('where the room is', () => {
  it('without settings in the database of the data folder; empty settings count as none', () => {
    const place = {
      topic: 'chat-room',
      kafka: undefined,
      databaseUrl: undefined,
      dataDir: 'data',
      connectionFile: 'data/connection.json',
    };
    expect(readRoomPlace({})).toEqual(place);
    expect(readRoomPlace({ KAFKA_BROKERS: '', DATABASE_URL: '', DATA_DIR: '', KAFKA_TOPIC: '' })).toEqual(place);
  });

  it('on the brokers that are named, with their credentials', () => {
    expect(
      readRoomPlace({
        KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092',
        KAFKA_SSL: 'true',
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256',
        KAFKA_SASL_USERNAME: 'u',
        KAFKA_SASL_PASSWORD: 'p',
        KAFKA_TOPIC: 'room-2',
      }),
    ).toMatchObject({
      topic: 'room-2',
      kafka: {
        brokers: ['kafka-1:9092', 'kafka-2:9092'],
        ssl: true,
        sasl: { mechanism: 'scram-sha-256', username: 'u', password: 'p' },
      },
    });
  });

  it('names every bad setting at once, and no secret', () => {
    const problems = problemsOf({
      KAFKA_TOPIC: 'Chat Room',
      DATABASE_URL: 'mysql://u:secret@h/d',
      KAFKA_BROKERS: 'kafka',
      KAFKA_SSL: 'maybe',
      KAFKA_SASL_MECHANISM: 'gssapi',
      KAFKA_SASL_PASSWORD: 'secret',
    });
    expect(problems.map((problem) => problem.split(/ is | must | belong /)[0])).toEqual([
      'KAFKA_TOPIC',
      'DATABASE_URL',
      'KAFKA_BROKERS',
      'KAFKA_SSL',
      'KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
    ]);
    expect(problems.join('\n')).not.toContain('secret');
    expect(problemsOf({ KAFKA_BROKERS: 'kafka:9092', KAFKA_SASL_USERNAME: 'u' })).toHaveLength(1);
  });
});
