import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder, TestInbox } from '../testing/test-inbox.js';

describe('An inbox with a folder', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const running = new Set<TestInbox>();

  const start = async (env: NodeJS.ProcessEnv = {}): Promise<TestInbox> => {
    const inbox = await TestInbox.start({ INBOX_DIR: join(folder.path, 'mails'), ...env });
    running.add(inbox);
    return inbox;
  };
  const files = async () => (await readdir(join(folder.path, 'mails'))).sort();

  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await Promise.all([...running].map((inbox) => inbox.stop()));
    running.clear();
    await folder.remove();
  });

  it('has the mail in the folder when it answers 250, so that another process finds it after kill -9', async () => {
    const first = await start();
    await first.send({ to: ['ana@example.test', 'zoë@bücher.example'], subject: 'Überlebt ✈', text: 'x' });
    await first.sendRaw(Buffer.from('Subject: latin\r\n\r\ncaf\xe9\r\n', 'latin1'));
    // The first is still running and was asked nothing: all that the second sees was on the disk.
    const second = await start();
    expect(await second.messages()).toEqual(await first.messages());
    const path = `/api/v1/messages/${(await second.newest()).ID}/download`;
    expect(Buffer.from(await (await second.get(path)).arrayBuffer()).toString('latin1')).toBe(
      'Subject: latin\r\n\r\ncaf\xe9\r\n',
    );
  });

  it('goes on with ids that sort after those of before', async () => {
    const first = await start();
    for (const subject of ['1', '2', '3']) await first.send({ subject, text: subject });
    await first.stop();
    const second = await start();
    await second.send({ subject: '4', text: '4' });
    const subjects = (await second.messages()).items.map((item) => item.Content.Headers['Subject']?.[0]);
    expect(subjects).toEqual(['4', '3', '2', '1']);
  });

  it('keeps one file a mail that a mail program opens, and removes it with the mail', async () => {
    const inbox = await start();
    for (const subject of ['1', '2', '3']) await inbox.send({ subject, text: subject });
    expect((await files()).every((name) => name.endsWith('.eml'))).toBe(true);
    const [file = ''] = await files();
    expect(await readFile(join(folder.path, 'mails', file), 'utf8')).toMatch(/^X-Inbox-Envelope: \{.*\}\r\nFrom: /);
    await inbox.get(`/api/v1/messages/${(await inbox.newest()).ID}`, { method: 'DELETE' });
    expect(await files()).toHaveLength(2);
    await inbox.get('/api/v1/messages', { method: 'DELETE' });
    expect(await files()).toEqual([]);
    await inbox.stop();
    expect((await (await start()).messages()).total).toBe(0);
  });

  it('drops the oldest files beyond its limits, also when the limits became smaller', async () => {
    const first = await start({ INBOX_MAX_MESSAGES: '3' });
    for (const subject of ['1', '2', '3', '4', '5']) await first.send({ subject, text: subject });
    expect(await files()).toHaveLength(3);
    await first.stop();
    const second = await start({ INBOX_MAX_MESSAGES: '2' });
    expect((await second.messages()).items.map((item) => item.Content.Headers['Subject']?.[0])).toEqual(['5', '4']);
    expect(await files()).toHaveLength(2);
  });

  it('leaves files alone that are not its own, and starts', async () => {
    const first = await start();
    await first.send({ subject: 'kept', text: 'x' });
    const [own = ''] = await files();
    await first.stop();
    const at = (name: string) => join(folder.path, 'mails', name);
    await writeFile(at('foreign.eml'), 'Subject: by hand\r\n\r\nx\r\n');
    await writeFile(at('empty.eml'), '');
    await writeFile(at('broken.eml'), 'X-Inbox-Envelope: {"id":\r\n\r\n');
    await writeFile(at('copy.eml'), await readFile(at(own)));
    await writeFile(at('notes.txt'), 'x');
    const second = await start();
    expect((await second.messages()).total).toBe(1);
    expect(second.logLines.join('')).toContain('"skipped":4');
    expect(await files()).toHaveLength(6);
  });

  it('answers 452 when the folder cannot take the mail, keeps nothing of it, and recovers', async () => {
    const inbox = await start();
    const path = join(folder.path, 'mails');
    await rename(path, `${path}-away`);
    await writeFile(path, 'a file in the folder’s place');
    await expect(inbox.send({ subject: 'lost', text: 'x' })).rejects.toMatchObject({ responseCode: 452 });
    expect((await inbox.messages()).total).toBe(0);
    await rm(path);
    await rename(`${path}-away`, path);
    await inbox.send({ subject: 'kept', text: 'x' });
    expect((await inbox.messages()).total).toBe(1);
    expect(await files()).toHaveLength(1);
  });

  it('does not start on a folder that it cannot use, and names the setting', async () => {
    await writeFile(join(folder.path, 'file'), '');
    await expect(TestInbox.start({ INBOX_DIR: join(folder.path, 'file') })).rejects.toThrow(
      /^Wrong setting: INBOX_DIR /,
    );
  });
});
