import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@eticket/service/testing';
import { by, ChatLab, saidOn } from './chat-lab.js';
import { canHaveTerminals } from './terminals.js';

const describeInTerminals = (await canHaveTerminals()) ? describe : describe.skip;

describeInTerminals('the chat room on a database that its server starts itself', () => {
  let lab: ChatLab;
  beforeEach(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'chat-data-'));
    // Under root PostgreSQL is another user's, who must get through.
    await chmod(dataDir, 0o755);
    lab = await ChatLab.open({
      env: { DATA_DIR: dataDir },
      drop: () => rm(dataDir, { recursive: true, force: true }),
    });
  }, 60_000);
  afterEach(() => lab.close(), 60_000);

  it.each([
    ['kill -9, which leaves the database running', 'SIGKILL'],
    ['a stop, after which the database is at another port', 'SIGTERM'],
  ] as const)(
    'goes on after %s: people stay in, and what was said meanwhile arrives',
    async (_what, signal) => {
      const [ana, bob] = [await lab.join('ana'), await lab.join('bob')];
      await ana.enter('before');
      await eventually(async () => by('ana', await saidOn(bob)).length === 1);
      await lab.killServer(signal);
      await ana.enter('meanwhile');
      await ana.shows(/The server at \S+ does not answer/);
      if (signal === 'SIGTERM') await bob.shows(/The room cannot be read for the moment/);
      await lab.startServer();
      await bob.enter('after');
      for (const terminal of [ana, bob]) {
        await eventually(
          async () => {
            const said = await saidOn(terminal);
            expect([by('ana', said), by('bob', said)]).toEqual([['before', 'meanwhile'], ['after']]);
          },
          { deadlineMs: 30_000 },
        );
      }
      if (signal === 'SIGTERM') await bob.shows(/The room is read again; nothing was missed/);
      await bob.enter('/who');
      await bob.shows(/2 in the room: (?=.*ana)(?=.*bob)/);
      expect((await ana.lines()).join('\n')).not.toMatch(/took you for gone/);
    },
    120_000,
  );
});
