import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const TUTORIAL = new URL('docs/tutorial-chat.md', ROOT);
/** `<!-- sample: path#region -->`, and the block of code that follows where there is one. */
const SAMPLE = /<!-- sample: (\S+)#(\S+) -->\n(?:\n```ts\n([\s\S]*?)```\n)?/g;

/** The lines between `#region name` and `#endregion`, without the indentation that they share. */
async function region(path: string, name: string): Promise<string> {
  const lines = (await readFile(new URL(path, ROOT), 'utf8')).split('\n');
  const from = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const length = lines.slice(from).findIndex((line) => line.trim() === '// #endregion');
  if (from === -1 || length === -1) throw new Error(`${path} has no region ${name}`);
  const inside = lines.slice(from + 1, from + length).filter((line) => !/^\s*\/\/ #(end)?region/.test(line));
  const indents = inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const shared = Math.min(...indents);
  return `${inside
    .map((line) => line.slice(shared))
    .join('\n')
    .trim()}\n`;
}

describe('the tutorial of the chat room', () => {
  it('shows the sources as they are (UPDATE_TUTORIAL=1 copies them)', async () => {
    const text = await readFile(TUTORIAL, 'utf8');
    const samples = [...text.matchAll(SAMPLE)];
    expect(samples.length).toBeGreaterThan(15);
    const wanted = new Map<string, string>();
    for (const [whole, path, name] of samples) {
      const code = await region(path ?? '', name ?? '');
      wanted.set(whole, `<!-- sample: ${path}#${name} -->\n\n\`\`\`ts\n${code}\`\`\`\n`);
    }
    if (process.env.UPDATE_TUTORIAL) {
      await writeFile(
        TUTORIAL,
        text.replace(SAMPLE, (whole) => wanted.get(whole) ?? whole),
      );
      return;
    }
    const stale = samples.filter(([whole]) => wanted.get(whole) !== whole).map(([, path, name]) => `${path}#${name}`);
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
        'libs/service/src/queue/kafka-settings.ts',
        'apps/chat-server/src/chat-server-config.ts',
        'apps/chat-client/src/chat-client-config.ts',
      ].map((path) => readFile(new URL(path, ROOT), 'utf8')),
    );
    const settings = [...text.matchAll(/`([A-Z][A-Z]*(?:_[A-Z]+)+)`/g)].map(([, setting]) => setting ?? '');
    expect(settings.filter((setting) => !sources.join('\n').includes(setting))).toEqual([]);
    expect(settings.length).toBeGreaterThan(10);
  });
});
