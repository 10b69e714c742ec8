/**
 * Choices that look random and are not: the same words give the same number on every machine and day, so that the
 * timetable needs no storage and the same search gives the same offers.
 */
export function seededInteger(below: number, ...words: readonly (string | number)[]): number {
  // FNV-1a, then the finaliser of MurmurHash3, because FNV alone leaves similar words with similar high bits.
  let hash = 0x811c9dc5;
  for (const character of words.join('|')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % below;
}
