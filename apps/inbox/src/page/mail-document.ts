import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, serialize } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

/** Elements that run code, load something or redirect. The sandbox forbids all of it too; without them nothing is tried. */
const REMOVED = new Set(['script', 'base', 'link', 'iframe', 'frame', 'object', 'embed', 'applet', 'portal']);
/** Attributes that load or report something when a link is followed. */
const REMOVED_ATTRIBUTES = new Set(['ping', 'target', 'rel', 'download']);
const LINKS = new Set(['a', 'area']);
const FOLLOWED = /^\s*(?:https?:|mailto:|tel:)/i;

/** With the images of the mail inside. */
const MAX_CHARACTERS = 30_000_000;
/** Parsing takes time that grows with depth and, for unclosed elements, with the square of their number. */
const MAX_DEPTH = 1_000;
const MAX_ELEMENTS = 100_000;

class TooLargeError extends Error {}

/**
 * The HTML of a mail as a document for the sandbox ({@link MAIL_HTML_POLICY}): unchanged in looks, links open in a new
 * tab that knows nothing of the inbox, links that lead nowhere outside the mail (relative, `javascript:`) are dead.
 * Undefined when the HTML is too large to be laid out.
 */
export function mailDocument(html: string): string | undefined {
  if (html.length > MAX_CHARACTERS) return undefined;
  try {
    const document = parse(html, { scriptingEnabled: false, treeAdapter: boundedTree() });
    makeHarmless(document);
    // Without a doctype a browser lays the mail out by the rules of the nineties, which mail programs no longer do.
    const hasDoctype = document.childNodes.some(({ nodeName }) => nodeName === '#documentType');
    return (hasDoctype ? '' : '<!DOCTYPE html>') + serialize(document);
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}

/** parse5's tree, until it grows beyond the limits. */
function boundedTree(): typeof defaultTreeAdapter {
  let depth = 0;
  let elements = 0;
  const check = (): void => {
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw new TooLargeError();
  };
  return {
    ...defaultTreeAdapter,
    createElement: (...args) => {
      elements += 1;
      check();
      return defaultTreeAdapter.createElement(...args);
    },
    onItemPush: () => {
      depth += 1;
      check();
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
}

function makeHarmless(document: DefaultTreeAdapterTypes.Document): void {
  const waiting: Node[] = [document];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!('childNodes' in node)) continue;
    for (const child of [...node.childNodes]) {
      if (isRemoved(child)) defaultTreeAdapter.detachNode(child);
      else waiting.push(child);
    }
    if ('attrs' in node) node.attrs = safeAttributes(node);
  }
}

function isRemoved(node: DefaultTreeAdapterTypes.ChildNode): boolean {
  if (!('tagName' in node)) return false;
  return REMOVED.has(node.tagName) || (node.tagName === 'meta' && node.attrs.some(({ name }) => name === 'http-equiv'));
}

function safeAttributes({ tagName, attrs }: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.Element['attrs'] {
  const kept = attrs.filter(({ name }) => !name.startsWith('on') && !REMOVED_ATTRIBUTES.has(name));
  if (!LINKS.has(tagName)) return kept;
  const link = kept.filter(({ name, value }) => name !== 'href' || FOLLOWED.test(value) || value.startsWith('#'));
  const leavesMail = link.some(({ name, value }) => name === 'href' && !value.startsWith('#'));
  if (!leavesMail) return link;
  return [...link, { name: 'target', value: '_blank' }, { name: 'rel', value: 'noopener noreferrer' }];
}
