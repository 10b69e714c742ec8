import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@eticket/service/testing';

const run = promisify(execFile);

/** Debian's postfix and Cyrus' SASL, where they are. */
const PROGRAMS = ['/usr/sbin/postfix', '/usr/sbin/saslpasswd2'];
const REALM = 'relay.test';

/** The one recipient domain that it takes mails for itself, and the one mailbox there. */
const KNOWN_DOMAIN = 'known.test';
const KNOWN_MAILBOX = `traveller@${KNOWN_DOMAIN}`;

/** Only root may start postfix: it becomes another user for all but opening ports and writing its queue. */
const asRoot: readonly string[] = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

/** Whether postfix can be run here. In CI it has to be, and a failure says why it cannot. */
export const hasPostfix = Boolean(process.env.CI) || PROGRAMS.every((program) => existsSync(program));

/**
 * A real relay on a loopback port: Debian's postfix with a configuration, a queue and users of its own, that demands TLS
 * and a login and delivers nothing anywhere. The system's own postfix is not touched.
 */
export class PostfixRelay {
  readonly user = 'eticket';
  readonly password = 'p@ss word';
  readonly mailbox = KNOWN_MAILBOX;
  readonly #folder: string;
  readonly #master: ChildProcess;

  private constructor(
    readonly port: number,
    folder: string,
    master: ChildProcess,
  ) {
    this.#folder = folder;
    this.#master = master;
  }

  static async start(): Promise<PostfixRelay> {
    const folder = await mkdtemp(join(tmpdir(), 'postfix-'));
    // Its own user has to reach what belongs to it in here.
    await chmod(folder, 0o755);
    const port = await freePort();
    await configure(folder, port);
    const [program = '', ...args] = [...asRoot, '/usr/sbin/postfix', '-c', folder, 'start-fg'];
    const master = spawn(program, args, { stdio: 'ignore' });
    const relay = new PostfixRelay(port, folder, master);
    try {
      await eventually(() => greets(port), { deadlineMs: 60_000, everyMs: 100 });
    } catch (error) {
      const log = await relay.log();
      await relay.stop();
      throw new Error(`postfix did not start:\n${log}`, { cause: error });
    }
    return relay;
  }

  /** With a login, and TLS demanded; the certificate is its own. */
  url(password = this.password): string {
    const login = `${this.user}:${encodeURIComponent(password)}`;
    return `smtp://${login}@127.0.0.1:${this.port}?requireTLS=true&tls.rejectUnauthorized=false`;
  }

  /** What it has logged. */
  log(): Promise<string> {
    return readFile(join(this.#folder, 'maillog'), 'utf8').catch(() => '(no log)');
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#master.once('exit', resolve));
    const isRunning = this.#master.exitCode === null && this.#master.signalCode === null;
    await rootRun('/usr/sbin/postfix', '-c', this.#folder, 'stop').catch(() => undefined);
    if (isRunning) await ended;
    if (asRoot.length === 0) await rm(this.#folder, { recursive: true, force: true });
    else await rootRun('rm', '-rf', this.#folder);
  }
}

async function configure(folder: string, port: number): Promise<void> {
  const file = (name: string) => join(folder, name);
  await Promise.all(['queue', 'data', 'sasl'].map((name) => mkdir(file(name))));
  await writeFile(file('main.cf'), mainCf(folder));
  await writeFile(file('master.cf'), masterCf(port));
  await writeFile(file('mailboxes'), `${KNOWN_MAILBOX} OK\n`);
  await writeFile(
    file('sasl/smtpd.conf'),
    `pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: ${file('sasl/users')}\nmech_list: PLAIN LOGIN\n`,
  );
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${REALM}`],
    ...['-keyout', file('key.pem'), '-out', file('cert.pem')],
  ]);
  const adding = run('/usr/sbin/saslpasswd2', ['-c', '-p', '-f', file('sasl/users'), '-u', REALM, 'eticket']);
  adding.child.stdin?.end('p@ss word');
  await adding;
  await chmod(file('sasl/users'), 0o644);
  await rootRun('chown', '-R', 'root:root', folder);
  await rootRun('chown', 'postfix', file('data'));
}

function mainCf(folder: string): string {
  return `
compatibility_level = 3.6
myhostname = ${REALM}
mydestination =
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/maillog
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_loglevel = 1
smtpd_sasl_auth_enable = yes
smtpd_sasl_local_domain = ${REALM}
cyrus_sasl_config_path = ${folder}/sasl
relay_domains = ${KNOWN_DOMAIN}
relay_recipient_maps = texthash:${folder}/mailboxes
smtpd_relay_restrictions = permit_sasl_authenticated, defer_unauth_destination
smtpd_recipient_restrictions = reject_unlisted_recipient
default_transport = discard:
relay_transport = discard:
alias_maps =
alias_database =
smtputf8_enable = yes
`;
}

/** Those that others than postfix's own user may talk to. */
const PUBLIC_SERVICES = new Set(['smtpd', 'cleanup', 'qmgr', 'postlogd']);

/** What is needed to take mails and to throw them away; nothing runs in a chroot, which would need copies of system files. */
function masterCf(port: number): string {
  const service = (name: string, type: string, command: string, wakeUp = '-', most = '-') =>
    `${name} ${type} ${PUBLIC_SERVICES.has(command) ? 'n' : 'y'} - n ${wakeUp} ${most} ${command}`;
  return `${[
    service(`127.0.0.1:${port}`, 'inet', 'smtpd'),
    service('cleanup', 'unix', 'cleanup', '-', '0'),
    service('qmgr', 'unix', 'qmgr', '300', '1'),
    service('tlsmgr', 'unix', 'tlsmgr', '1000?', '1'),
    service('rewrite', 'unix', 'trivial-rewrite'),
    ...['bounce', 'defer', 'trace'].map((name) => service(name, 'unix', 'bounce', '-', '0')),
    service('proxymap', 'unix', 'proxymap'),
    service('anvil', 'unix', 'anvil', '-', '1'),
    ...['discard', 'error'].map((name) => service(name, 'unix', name)),
    service('retry', 'unix', 'error'),
    service('postlog', 'unix-dgram', 'postlogd', '-', '1'),
  ].join('\n')}\n`;
}

async function rootRun(...command: readonly string[]): Promise<void> {
  const [program = '', ...args] = [...asRoot, ...command];
  await run(program, args);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(5_000, () => socket.destroy());
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('220 '));
      socket.end('QUIT\r\n');
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
