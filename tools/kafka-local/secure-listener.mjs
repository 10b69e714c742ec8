/**
 * A second listener on each broker that asks for TLS and a log-in (SASL_SSL), beside the plain one: with a certificate
 * authority and users of this cluster alone.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Known by every mechanism. Tests and developers use it; there is nothing behind it to protect. */
export const SECURE_USER = { username: 'ackline', password: 'kafka-local-only' };
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'];

/** @returns the paths of the authority's certificate and of the brokers' key with its certificate, made where missing */
export async function ensureCertificates(dir) {
  const folder = join(dir, 'tls');
  const files = { ca: join(folder, 'ca.pem'), keystore: join(folder, 'broker.pem') };
  if (existsSync(files.keystore)) return files;
  await mkdir(folder, { recursive: true });
  const at = (name) => join(folder, name);
  await openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3650', '-subj', '/CN=kafka-local authority'],
    ...['-keyout', at('ca.key'), '-out', files.ca],
  );
  await openssl(
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', at('broker.key')],
    ...['-out', at('broker.csr')],
  );
  await writeFile(at('broker.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  await openssl(
    ...['x509', '-req', '-in', at('broker.csr'), '-CA', files.ca, '-CAkey', at('ca.key'), '-CAcreateserial'],
    ...['-days', '3650', '-extfile', at('broker.ext'), '-out', at('broker.crt')],
  );
  const parts = await Promise.all(['broker.key', 'broker.crt'].map((name) => readFile(at(name), 'utf8')));
  await writeFile(files.keystore, `${parts.join('')}${await readFile(files.ca, 'utf8')}`, { mode: 0o600 });
  return files;
}

/** What a broker's configuration says of the listener `SECURE`. */
export function secureProperties({ keystore }) {
  const { username, password } = SECURE_USER;
  const jaas = (module, more = '') => `org.apache.kafka.common.security.${module} required${more};`;
  const listener = 'listener.name.secure.';
  return {
    [`${listener}ssl.keystore.type`]: 'PEM',
    [`${listener}ssl.keystore.location`]: keystore,
    [`${listener}sasl.enabled.mechanisms`]: MECHANISMS.join(','),
    [`${listener}plain.sasl.jaas.config`]: jaas('plain.PlainLoginModule', ` user_${username}="${password}"`),
    [`${listener}scram-sha-256.sasl.jaas.config`]: jaas('scram.ScramLoginModule'),
    [`${listener}scram-sha-512.sasl.jaas.config`]: jaas('scram.ScramLoginModule'),
  };
}

/** What makes the storage tool add the user to a new cluster. */
export function scramArguments() {
  const { username, password } = SECURE_USER;
  return MECHANISMS.slice(1).flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
}

async function openssl(...args) {
  await run('openssl', args).catch((error) => {
    if (error.code === 'ENOENT') throw new Error('A secure Kafka needs the openssl command for its certificates.');
    throw error;
  });
}
