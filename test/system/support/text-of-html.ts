import { parse, type DefaultTreeAdapterTypes } from 'parse5';

const UNSEEN = new Set(['head', 'style', 'script', 'title', '#comment', '#documentType']);
/** Everything else runs on in its line. */
const OWN_LINE = new Set(['br', 'div', 'h1', 'h2', 'h3', 'li', 'p', 'table', 'td', 'th', 'tr']);

/** What a reader sees of an HTML document, a line for each block. */
export function textOfHtml(html: string): string {
  return textOf(parse(html));
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value.replace(/\s+/g, ' ');
  if (UNSEEN.has(node.nodeName) || isHidden(node)) return '';
  const inside = 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
  return OWN_LINE.has(node.nodeName) ? `\n${inside}\n` : inside;
}

function isHidden(node: DefaultTreeAdapterTypes.Node): boolean {
  return 'attrs' in node && node.attrs.some(({ name, value }) => name === 'style' && /display:\s*none/.test(value));
}
