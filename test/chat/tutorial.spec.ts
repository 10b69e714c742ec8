import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { docSamples } from '../docs/doc-samples.js';

const ROOT = new URL('../../', import.meta.url);
const TUTORIAL = new URL('docs/tutorial-chat.md', ROOT);

describe('the tutorial of the chat room', () => {
  it('shows the sources as they are (UPDATE_TUTORIAL=1 copies them)', async () => {
    const { count, stale } = await docSamples('docs/tutorial-chat.md');
    expect(count).toBeGreaterThan(15);
    expect(stale).toEqual([]);
  });

  it('names files, scripts and settings that there are', async () => {
    const text = await readFile(TUTORIAL, 'utf8');
    const paths = [...text.matchAll(/`((?:apps|libs|test)\/[\w./-]+)`/g)].map(([, path]) => path ?? '');
    const missing: string[] = [];
    for (const path of paths) {
      const file = fileURLToPath(new URL(path, ROOT));
      if (!existsSync(file)) missing.push(path);
    }
    expect(missing).toEqual([]);
    const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '');
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    const sources = await Promise.all(
      [
        'libs/chat-room/src/room-place.ts',
        'libs/queue/src/environment/queue-environment.ts',
        'apps/chat-server/src/chat-server-config.ts',
        'apps/chat-client/src/chat-client-config.ts',
      ].map((path) => readFile(new URL(path, ROOT), 'utf8')),
    );
    const settings = [...text.matchAll(/`([A-Z][A-Z]*(?:_[A-Z]+)+)`/g)].map(([, setting]) => setting ?? '');
    expect(settings.filter((setting) => !sources.join('\n').includes(setting))).toEqual([]);
    expect(settings.length).toBeGreaterThan(10);
  });
});
