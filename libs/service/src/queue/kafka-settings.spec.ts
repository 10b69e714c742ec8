import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, readKafkaConnection as read } from '../index.js';

describe('The settings of Kafka', () => {
  it('say that there is none when KAFKA_BROKERS is unset or empty', () => {
    expect(read({})).toBeUndefined();
    expect(read({ KAFKA_BROKERS: '' })).toBeUndefined();
  });

  it('give brokers, TLS and a log-in', () => {
    expect(read({ KAFKA_BROKERS: 'kafka-1:9092, [::1]:9093' })).toEqual({
      brokers: ['kafka-1:9092', '[::1]:9093'],
      ssl: false,
      sasl: undefined,
      compression: undefined,
    });
    expect(
      read({
        KAFKA_BROKERS: 'b:1',
        KAFKA_SSL: 'true',
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        KAFKA_SASL_USERNAME: 'u',
        KAFKA_SASL_PASSWORD: 'p',
      }),
    ).toEqual({ brokers: ['b:1'], ssl: true, sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' } });
  });

  it('give compression and the certificates to trust', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kafka-settings-'));
    const file = join(folder, 'ca.pem');
    const ca = '-----BEGIN CERTIFICATE-----\n…\n';
    writeFileSync(file, ca);
    const env = { KAFKA_BROKERS: 'b:1', KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file, KAFKA_COMPRESSION: 'Snappy' };
    expect(read(env)).toMatchObject({ ssl: { ca }, compression: 'snappy' });
    rmSync(folder, { recursive: true });
  });

  it.each([
    [{ KAFKA_BROKERS: 'kafka' }, 'KAFKA_BROKERS is "kafka"; it must be addresses like host:9092'],
    [{ KAFKA_BROKERS: 'http://kafka:9092' }, 'addresses like host:9092'],
    [{ KAFKA_BROKERS: 'a:1', KAFKA_SSL: 'yes' }, 'KAFKA_SSL is "yes"; it must be true or false'],
    [{ KAFKA_BROKERS: 'a:1', KAFKA_SASL_MECHANISM: 'gssapi' }, 'one of plain, scram-sha-256, scram-sha-512'],
    [{ KAFKA_BROKERS: 'a:1', KAFKA_SASL_USERNAME: 'u' }, 'set all three or none'],
    [
      { KAFKA_BROKERS: 'a:1', KAFKA_COMPRESSION: 'lz4' },
      'KAFKA_COMPRESSION is "lz4"; it must be one of none, gzip, snappy',
    ],
    [{ KAFKA_BROKERS: 'a:1', KAFKA_SSL_CA_FILE: 'ca.pem' }, 'KAFKA_SSL_CA_FILE is set, but KAFKA_SSL is not "true"'],
    [
      { KAFKA_BROKERS: 'a:1', KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: 'no-such.pem' },
      'it must be a file of PEM certificates',
    ],
  ])('refuse %j by name, and say what would be right', (env, message) => {
    expect(() => read(env)).toThrow(ConfigurationError);
    expect(() => read(env)).toThrow(message);
  });

  it('name all that are wrong at once', () => {
    const env = { KAFKA_BROKERS: 'kafka', KAFKA_SSL: 'yes', KAFKA_SASL_USERNAME: 'u', KAFKA_COMPRESSION: 'lz4' };
    expect(() => read(env)).toThrow(/KAFKA_BROKERS is[^]*KAFKA_SSL is[^]*belong together[^]*KAFKA_COMPRESSION is/);
  });

  it('never repeat a password', () => {
    const wrong = {
      KAFKA_BROKERS: 'u:hunter2@a',
      KAFKA_SASL_MECHANISM: 'x',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'hunter2',
    };
    let said = '';
    try {
      read(wrong);
    } catch (error) {
      said = String(error);
    }
    expect(said).toContain('KAFKA_SASL_MECHANISM');
    expect(said).not.toContain('hunter2');
  });
});
