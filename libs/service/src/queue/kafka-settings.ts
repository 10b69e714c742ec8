import { readFileSync } from 'node:fs';
import type { Compression } from 'ackline/kafka';
import { makeValidator } from 'envalid';
import { ConfigurationError } from '../environment/configuration-error.js';
import { SettingError } from '../environment/read-environment.js';
import { str } from '../environment/settings.js';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];
const COMPRESSIONS = ['none', 'gzip', 'snappy'] as const satisfies readonly Compression[];

/** How the brokers are reached. */
export interface KafkaConnection {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** `ca`: PEM certificates of the authorities that are trusted, in place of the system's. */
  readonly ssl: boolean | { readonly ca: string };
  readonly sasl:
    { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string } | undefined;
  /** Of what is published; undefined leaves it to the service. */
  readonly compression: Compression | undefined;
}

const brokers = makeValidator<readonly string[]>((input) => {
  const addresses = input.split(',').map((address) => address.trim());
  if (!addresses.every((address) => /^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/.test(address))) {
    throw new SettingError('addresses like host:9092, with commas between them');
  }
  return addresses;
});

const yesOrNo = makeValidator<boolean>((input) => {
  if (input !== 'true' && input !== 'false') throw new SettingError('true or false');
  return input === 'true';
});

const mechanism = makeValidator<SaslMechanism>((input) => {
  const known = SASL_MECHANISMS.find((one) => one === input.toLowerCase());
  if (known === undefined) throw new SettingError(`one of ${SASL_MECHANISMS.join(', ')}`);
  return known;
});

const compression = makeValidator<Compression>((input) => {
  const known = COMPRESSIONS.find((one) => one === input.toLowerCase());
  if (known === undefined) throw new SettingError(`one of ${COMPRESSIONS.join(', ')}`);
  return known;
});

/** The settings of every service that publishes or consumes; unset, the queue lives in PostgreSQL. */
export const KAFKA_SETTINGS = {
  KAFKA_BROKERS: brokers({ default: undefined, example: 'kafka-1:9092,kafka-2:9092' }),
  KAFKA_SSL: yesOrNo({ default: false }),
  KAFKA_SSL_CA_FILE: str({ default: undefined }),
  KAFKA_SASL_MECHANISM: mechanism({ default: undefined }),
  KAFKA_SASL_USERNAME: str({ default: undefined }),
  KAFKA_SASL_PASSWORD: str({ default: undefined }),
  KAFKA_COMPRESSION: compression({ default: undefined }),
};

/** What {@link KAFKA_SETTINGS} read. */
export interface KafkaSettings {
  readonly KAFKA_BROKERS: readonly string[] | undefined;
  readonly KAFKA_SSL: boolean;
  readonly KAFKA_SSL_CA_FILE: string | undefined;
  readonly KAFKA_SASL_MECHANISM: SaslMechanism | undefined;
  readonly KAFKA_SASL_USERNAME: string | undefined;
  readonly KAFKA_SASL_PASSWORD: string | undefined;
  readonly KAFKA_COMPRESSION: Compression | undefined;
}

/**
 * The connection that the settings ask for; undefined without `KAFKA_BROKERS`.
 * @throws ConfigurationError when a part of the log-in is missing, or the file of certificates.
 */
export function kafkaConnection(settings: KafkaSettings): KafkaConnection | undefined {
  const { KAFKA_SASL_MECHANISM: asked, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = settings;
  const given = [asked, username, password].filter((value) => value !== undefined).length;
  if (given !== 0 && (asked === undefined || username === undefined || password === undefined)) {
    throw new ConfigurationError([
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD belong together; set all three or none',
    ]);
  }
  if (settings.KAFKA_BROKERS === undefined) return undefined;
  const sasl =
    asked !== undefined && username !== undefined && password !== undefined
      ? { mechanism: asked, username, password }
      : undefined;
  return { brokers: settings.KAFKA_BROKERS, ssl: sslOf(settings), sasl, compression: settings.KAFKA_COMPRESSION };
}

function sslOf({ KAFKA_SSL: ssl, KAFKA_SSL_CA_FILE: caFile }: KafkaSettings): KafkaConnection['ssl'] {
  if (caFile === undefined) return ssl;
  if (!ssl) throw new ConfigurationError(['KAFKA_SSL_CA_FILE is set, but KAFKA_SSL is not "true"']);
  let ca = '';
  try {
    ca = readFileSync(caFile, 'utf8');
  } catch {
    // Said below, as for a file of something else.
  }
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigurationError([
      `KAFKA_SSL_CA_FILE is "${caFile}"; it must be a file of certificates that starts with -----BEGIN CERTIFICATE-----`,
    ]);
  }
  return { ca };
}
