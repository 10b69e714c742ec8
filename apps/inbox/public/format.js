const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const number = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

export function shortTime(iso) {
  const at = new Date(iso);
  return at.toDateString() === new Date().toDateString() ? timeOfDay.format(at) : dayAndTime.format(at);
}

export function fullTime(iso) {
  return full.format(new Date(iso));
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${number.format(bytes / 1000)} kB`;
  return `${number.format(bytes / 1_000_000)} MB`;
}

/** `{name, address}` as a reader knows people. */
export function person({ name, address }) {
  return name || address || 'unknown';
}

export function personAndAddress({ name, address }) {
  return name && address ? `${name} <${address}>` : name || address;
}

export function people(list, one) {
  return list.length === 0 ? 'nobody' : list.map(one).join(', ');
}

export function count(howMany, one, many) {
  return `${howMany.toLocaleString()} ${howMany === 1 ? one : many}`;
}
