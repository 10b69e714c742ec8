export type Command =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'who' | 'leave' | 'help' | 'nothing' }
  | { readonly type: 'unknown'; readonly name: string };

export const COMMANDS_HELP = [
  '/who      who is in the room',
  '/leave    leave the room; so does Ctrl+C',
  '/help     this list',
  '//text    says "/text"',
] as const;

/** What a typed line means. */
export function readCommand(line: string): Command {
  // Tabs come with pasted text, and no message may have them.
  const text = line.replaceAll('\t', ' ').trim();
  if (text === '') return { type: 'nothing' };
  if (text.startsWith('//')) return { type: 'say', text: text.slice(1) };
  if (!text.startsWith('/')) return { type: 'say', text };
  const name = text.split(/\s/, 1)[0] ?? text;
  switch (name) {
    case '/who':
      return { type: 'who' };
    case '/leave':
    case '/quit':
    case '/exit':
      return { type: 'leave' };
    case '/help':
      return { type: 'help' };
    default:
      return { type: 'unknown', name };
  }
}
