import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { docSamples } from './doc-samples.js';

const PACKAGE = new URL('../../libs/queue/', import.meta.url);
const pages = ['README.md', ...(await readdir(new URL('docs', PACKAGE))).map((name) => `docs/${name}`)];
const read = (page: string): Promise<string> => readFile(new URL(page, PACKAGE), 'utf8');

describe('the documentation of ackline', () => {
  it.each(pages)('%s shows code as it is compiled (UPDATE_TUTORIAL=1 copies it)', async (page) => {
    const { stale } = await docSamples(`libs/queue/${page}`);
    expect(stale).toEqual([]);
  });

  it('has no TypeScript that is not compiled', async () => {
    for (const page of pages) {
      const text = await read(page);
      const { count } = await docSamples(`libs/queue/${page}`);
      expect([page, text.split('```ts').length - 1]).toEqual([page, count]);
    }
  });

  it.each(pages)('%s links to pages that the package has', async (page) => {
    const text = await read(page);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!);
    expect(links.filter((link) => !existsSync(new URL(link, new URL(page, PACKAGE))))).toEqual([]);
  });

  it('names the defaults that the code has', async () => {
    const options = await readFile(new URL('src/consume/consume-options.ts', PACKAGE), 'utf8');
    const readme = await read('README.md');
    const failures = await read('docs/failure-modes.md');
    expect(options).toMatch(/concurrency \?\? 10,[\s\S]*maxDeliveries \?\? 5,[\s\S]*handlerTimeoutMs \?\? 300_000,/);
    expect(options).toMatch(/visibilityTimeoutMs \?\? 30_000,/);
    expect(options).toMatch(/backoff \?\? \{ baseMs: 1_000, maxMs: 600_000 \}/);
    expect(readme).toMatch(/`concurrency` \(10\)[\s\S]*`handlerTimeoutMs` \(5 minutes\)[\s\S]*`maxDeliveries` \(5\)/);
    expect(failures).toMatch(
      /`visibilityTimeoutMs` \[30 s\][\s\S]*`handlerTimeoutMs` \[5 min\][\s\S]*`maxDeliveries` \[5\]/,
    );
  });

  it('lists every command and every variable of the command', async () => {
    const program = await readFile(new URL('src/cli/program.ts', PACKAGE), 'utf8');
    const page = await read('docs/cli.md');
    const variables = new Set([...program.matchAll(/\b(?:KAFKA|DATABASE|ACKLINE)_[A-Z_]+/g)].map(([name]) => name));
    expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const commands = [...program.matchAll(/^ {4}add(\w+),$/gm)].map(([, name]) =>
      name!.replace(/[A-Z]/g, (letter, at) => (at === 0 ? '' : '-') + letter.toLowerCase()),
    );
    expect(commands).toHaveLength(10);
    expect(commands.filter((name) => !new RegExp(`(\`|ackline )${name}\\b`).test(page))).toEqual([]);
  });
});
