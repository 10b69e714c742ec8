import { setTimeout as delay } from 'node:timers/promises';
import { jsonMessage } from 'ackline';
import { eventually } from '@eticket/service/testing';
import { by, ChatLab, inKafka, inPostgres, saidOn, type Place } from './chat-lab.js';
import { canHaveTerminals, type Terminal } from './terminals.js';

const brokers = process.env.TEST_KAFKA_BROKERS;
const PLACES: readonly (readonly [string, () => Promise<Place>])[] = [
  ['PostgreSQL', inPostgres],
  ...(brokers ? [['Kafka', inKafka(brokers)] as const] : []),
];
const NAMES = ['ana', 'bob', 'cem'] as const;
const ALL_THREE = /3 in the room: (?=.*ana)(?=.*bob)(?=.*cem)/;

const describeInTerminals = (await canHaveTerminals()) ? describe : describe.skip;

describeInTerminals.each(PLACES)('the chat room on %s', (_name, makePlace) => {
  let lab: ChatLab;
  beforeEach(async () => {
    lab = await ChatLab.open(await makePlace());
  }, 60_000);
  afterEach(() => lab.close(), 60_000);

  const joinAll = (): Promise<Terminal[]> => Promise.all(NAMES.map((name) => lab.join(name)));

  /** Each says its numbers from `first` to `last`; the three in turn. */
  async function talk(terminals: readonly Terminal[], first: number, last: number): Promise<void> {
    for (let number = first; number <= last; number++) {
      for (const terminal of terminals) await terminal.enter(`number ${number}`);
    }
  }

  async function allSee(terminals: readonly Terminal[], first: number, last: number): Promise<void> {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => `number ${first + index}`);
    for (const terminal of terminals) {
      await eventually(
        async () => {
          const said = await saidOn(terminal);
          expect(NAMES.map((name) => by(name, said))).toEqual(NAMES.map(() => numbers));
        },
        { deadlineMs: 30_000, everyMs: 250 },
      );
    }
  }

  it('three people talk and all see the same; a half-typed line stays whole; they leave by /leave and Ctrl+C', async () => {
    const [ana, bob, cem] = (await joinAll()) as [Terminal, Terminal, Terminal];
    await bob.type('half of a line');
    await talk([ana, cem], 1, 5);
    await eventually(async () => by('cem', await saidOn(bob)).length === 5);
    expect((await bob.rows()).filter((row) => row !== '').at(-1)).toBe('> half of a line');
    await bob.press('C-u');
    await talk([bob], 1, 5);
    await talk([ana, bob, cem], 6, 10);
    await allSee([ana, bob, cem], 1, 10);
    for (const terminal of [ana, bob, cem]) expect((await terminal.lines()).join('\n')).not.toMatch(/half|Not sent/);

    await cem.enter('/who');
    await cem.shows(ALL_THREE);
    await cem.enter('/leave');
    expect(await cem.exited()).toBe(0);
    expect((await cem.lines()).at(-1)).toMatch(/^you have left the room$/);
    await bob.shows(/ \* cem left$/);

    await ana.press('C-c');
    expect(await ana.exited()).toBe(0);
    expect((await ana.lines()).at(-1)).toMatch(/^you have left the room$/);
    await bob.shows(/ \* ana left$/);
    await bob.enter('/who');
    await bob.shows(/1 in the room: bob/);
  }, 120_000);

  it('a long half-typed line over several rows stays whole, with the cursor where it was', async () => {
    const [ana, bob] = [await lab.join('ana'), await lab.join('bob')];
    const long = 'wide '.repeat(50).trim();
    await bob.type(long);
    await talk([ana], 1, 2);
    await eventually(async () => by('ana', await saidOn(bob)).length === 2);
    await bob.press('C-a');
    await talk([ana], 3, 3);
    await eventually(async () => by('ana', await saidOn(bob)).length === 3);
    await bob.type('very ');
    await bob.press('Enter');
    await eventually(async () => by('bob', await saidOn(ana)).at(-1) === `very ${long}`);
    await eventually(async () => by('bob', await saidOn(bob)).at(-1) === `very ${long}`);
    // Nothing of it is left below or above.
    expect((await bob.lines()).filter((line) => line.includes('wide'))).toHaveLength(1);
    expect(by('ana', await saidOn(bob))).toEqual(['number 1', 'number 2', 'number 3']);
  }, 90_000);

  it('kill -9 of a client: the others are told that it is gone, and its name is free again', async () => {
    const [ana, bob] = (await joinAll()) as [Terminal, Terminal, Terminal];
    bob.kill('SIGKILL');
    await ana.shows(/ \* bob is gone: not heard of any more$/, 30_000);
    await ana.enter('/who');
    await ana.shows(/2 in the room: (ana.*cem|cem.*ana)/);
    await lab.join('bob');
  }, 90_000);

  it('kill -9 of the server while all talk: nothing is lost, doubled or out of order, and nobody has to join again', async () => {
    const terminals = await joinAll();
    await talk(terminals, 1, 3);
    const talking = talk(terminals, 4, 12);
    await delay(150);
    await lab.killServer();
    await talking;
    await Promise.all(terminals.map((terminal) => terminal.shows(/The server at \S+ does not answer/)));
    await lab.startServer();
    await allSee(terminals, 1, 12);
    await terminals[0]?.enter('/who');
    await terminals[0]?.shows(ALL_THREE);
    for (const terminal of terminals) {
      await terminal.shows(/The server answers again/);
      const joins = (await terminal.lines()).filter((line) => / joined$/.test(line) && !line.includes('/'));
      expect(new Set(joins).size).toBe(joins.length);
      expect((await terminal.lines()).join('\n')).not.toMatch(/is gone|took you for gone|Not sent/);
    }
  }, 150_000);

  it('a client that is asleep for 15 s misses nothing', async () => {
    const [ana, bob, cem] = (await joinAll()) as [Terminal, Terminal, Terminal];
    await talk([ana, bob, cem], 1, 2);
    await allSee([ana, bob, cem], 1, 2);
    bob.kill('SIGSTOP');
    await talk([ana, cem], 3, 7);
    await delay(15_000);
    bob.kill('SIGCONT');
    await eventually(async () => by('cem', await saidOn(bob)).length === 7, { deadlineMs: 20_000 });
    // It was gone for the others meanwhile, and comes back by itself.
    await ana.shows(/ \* bob is gone/);
    await bob.shows(/took you for gone; joining again/);
    await eventually(
      async () => (await ana.lines()).findLast((line) => line.includes('* bob'))?.endsWith('joined') === true,
    );
    await talk([bob], 3, 7);
    await talk([ana, bob, cem], 8, 8);
    await allSee([ana, bob, cem], 1, 8);
  }, 120_000);

  it('who comes late sees nothing old, unless it is asked for', async () => {
    const ana = await lab.join('ana');
    await talk([ana], 1, 8);
    await eventually(async () => by('ana', await saidOn(ana)).length === 8);
    const [latest, all, last] = [
      await lab.join('bob'),
      await lab.join('cem', '--from', 'beginning'),
      await lab.join('dan', '--last', '6'),
    ];
    await ana.enter('number 9');
    for (const terminal of [latest, all, last]) {
      await eventually(async () => by('ana', await saidOn(terminal)).at(-1) === 'number 9');
    }
    expect(by('ana', await saidOn(latest))).toEqual(['number 9']);
    expect(by('ana', await saidOn(all))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `number ${number}`));
    // Of the last six before dan came two are joins: those of bob and cem.
    expect(by('ana', await saidOn(last))).toEqual([5, 6, 7, 8, 9].map((number) => `number ${number}`));
  }, 90_000);

  it('what others put on the topic does no harm: not JSON is reported and skipped, control characters are shown', async () => {
    const ana = await lab.join('ana');
    await ana.enter('before');
    const title = await ana.title();
    const event = { version: 1, session: 'x' };
    const evil = {
      ...event,
      type: 'said',
      username: '\x1b[2Jeve\r',
      message: '\x1b]0;owned\x07\x1b[31m\x9b2K\u202egpj.exe\nfake',
    };
    await lab.inject(
      { payload: new TextEncoder().encode('{"broken'), key: 'eve' },
      { payload: new Uint8Array([0xff, 0xfe]), key: 'eve' },
      jsonMessage({ type: 'confetti', version: 7 }, { key: 'eve' }),
      jsonMessage('just a text', { key: 'eve' }),
      jsonMessage(evil, { key: 'eve' }),
    );
    await ana.shows(/ �\[2Jeve�: �\]0;owned��\[31m�2K�gpj\.exe�fake$/);
    await ana.enter('after');
    await eventually(async () => by('ana', await saidOn(ana)).at(-1) === 'after');
    const lines = await ana.lines();
    expect(lines.filter((line) => line.includes('not JSON was passed over'))).toHaveLength(2);
    expect(lines.join('\n')).toMatch(/ana: before/);
    expect(lines.join('\n')).not.toMatch(/confetti|just a text/);
    expect(await ana.title()).toBe(title);
  }, 60_000);

  it('works in pipes: lines in, lines out', async () => {
    const ana = await lab.join('ana');
    const script = await lab.pipe('first\nsecond\n/who\n/nope\n\nthird\n', '--name', 'script');
    expect(script.err).toBe('');
    expect(script.code).toBe(0);
    const lines = script.out.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('you have left the room');
    const said = lines.flatMap((line) => /^\d{4}-\d\d-\d\dT\S+Z (script: .*)$/.exec(line)?.[1] ?? []);
    expect(said).toEqual(['script: first', 'script: second', 'script: third']);
    expect(script.out).toMatch(/- in the room: ana, script\n/);
    expect(script.out).toMatch(/- There is no command \/nope; \/help lists them\.\n/);
    expect(script.out).not.toContain('\x1b');
    await eventually(async () => by('script', await saidOn(ana)).length === 3);
    await ana.shows(/ \* script left$/);

    expect(await lab.pipe('', '--name', 'Ana')).toMatchObject({
      code: 1,
      err: 'Ana is in the room already: choose another name.\n',
    });
    expect(await lab.pipe('', '--name', 'a b')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The name must have visible/) as string,
    });
    expect(await lab.pipe('', '--plain')).toMatchObject({
      code: 2,
      err: 'Without a terminal give a name: --name NAME.\n',
    });
  }, 90_000);
});
