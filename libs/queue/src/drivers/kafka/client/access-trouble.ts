/**
 * What an operator set wrongly, in a sentence that names the option and, where it was read from the environment, the
 * variable. kafkajs and Node say what failed, but not what to change.
 */
const LOG_IN = 'sasl: KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD';
const UNTRUSTED = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
const UNFIT = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID']);

/** Undefined where the error is no matter of TLS or of the log-in. No secret is repeated. */
export function accessTrouble(error: unknown): string | undefined {
  const { name, type, code, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const said = String(message).replace(/^Connection error: /, '');
  if (name === 'KafkaJSSASLAuthenticationError') {
    return `Kafka refuses the log-in: user name or password is wrong, or the user is unknown to this mechanism (${LOG_IN}).`;
  }
  if (type === 'UNSUPPORTED_SASL_MECHANISM') return `Kafka does not take this mechanism for logging in (${LOG_IN}).`;
  if (type === 'ILLEGAL_SASL_STATE') return `Kafka takes no log-in at this address, and one is set (${LOG_IN}).`;
  if (UNTRUSTED.has(String(code))) {
    return `Kafka’s certificate is not trusted (${said}): name the certificate of its authority (ssl.ca: KAFKA_SSL_CA_FILE).`;
  }
  if (UNFIT.has(String(code))) return `Kafka’s certificate does not fit (${said}) (brokers: KAFKA_BROKERS).`;
  if (code === 'EPROTO' || /before secure TLS connection/.test(said)) {
    return `Kafka does not speak TLS at this address, or ended it (${said}) (ssl: KAFKA_SSL).`;
  }
  return undefined;
}

/** A listener that asks for TLS or a log-in just hangs up on those who bring neither; so does a broker that stops. */
export function hintAtAccess(error: unknown): string {
  const { name } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (name !== 'KafkaJSConnectionClosedError') return '';
  return ' It closed the connection at once: does it ask for TLS or a log-in (KAFKA_SSL, KAFKA_SASL_MECHANISM)?';
}
