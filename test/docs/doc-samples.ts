import { readFile, writeFile } from 'node:fs/promises';

const ROOT = new URL('../../', import.meta.url);
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

export interface DocSamples {
  /** How many samples the document shows. */
  readonly count: number;
  /** Those that are no longer as their source; with UPDATE_TUTORIAL=1 they are copied instead. */
  readonly stale: readonly string[];
}

/** Compares the code in a document with the compiled sources that it names. */
export async function docSamples(document: string): Promise<DocSamples> {
  const url = new URL(document, ROOT);
  const text = await readFile(url, 'utf8');
  const samples = [...text.matchAll(SAMPLE)];
  const wanted = new Map<string, string>();
  for (const [whole, path, name] of samples) {
    const code = await region(path ?? '', name ?? '');
    wanted.set(whole, `<!-- sample: ${path}#${name} -->\n\n\`\`\`ts\n${code}\`\`\`\n`);
  }
  if (process.env.UPDATE_TUTORIAL) {
    await writeFile(
      url,
      text.replace(SAMPLE, (whole) => wanted.get(whole) ?? whole),
    );
    return { count: samples.length, stale: [] };
  }
  const stale = samples.filter(([whole]) => wanted.get(whole) !== whole).map(([, path, name]) => `${path}#${name}`);
  return { count: samples.length, stale };
}
