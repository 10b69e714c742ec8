/**
 * Makes an element. Strings become text, never markup: all that a mail says comes in through here.
 * @param {string} name
 * @param {Record<string, unknown>} [properties] attributes; `on…` are listeners, `class` and `data-…` as in HTML
 * @param {...(Node | string | undefined)} children
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Text whose direction marks do not reach what stands beside it. */
export function isolated(text) {
  return element('bdi', {}, text);
}

const SVG = 'http://www.w3.org/2000/svg';

/** A line icon; `path` is the data of an SVG path on a grid of 20. */
export function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  back: 'M12.5 4.5 7 10l5.5 5.5',
  clip: 'M13.5 6.5v6.5a3.5 3.5 0 0 1-7 0V6a2.25 2.25 0 0 1 4.5 0v6.5a1 1 0 0 1-2 0V6.5',
  download: 'M10 3.5v9m-3.5-3.5L10 12.5 13.5 9M4 16.5h12',
  trash: 'M4 5.5h12M8 5.5V4h4v1.5M5.5 5.5l.7 10.5h7.6l.7-10.5M8.5 8.5v5M11.5 8.5v5',
};
