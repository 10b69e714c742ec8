import { p99 } from './tally.mjs';

/** One fault's row, and the bounds that it violated. */
export function judge(fault, outcome) {
  const {
    stage,
    clean = false,
    more = 0,
    anyMayComeAgain = false,
    inFlightAtKill = 0,
    recovery,
    violations = [],
  } = outcome;
  const { tally } = stage;
  const twice = tally.twice;
  const stranger = anyMayComeAgain ? [] : twice.filter((id) => !tally.inFlight.has(id));
  const row = rowOf(fault, tally, { more, inFlightAtKill, recoveryP99Ms: p99(recovery) });
  const wrong = [
    ...(row.lost > 0 ? [`${row.lost} messages are lost`] : []),
    ...(clean && twice.length > 0 ? [`${twice.length} were delivered twice, though nothing was killed`] : []),
    ...(!clean && twice.length > inFlightAtKill
      ? [`${twice.length} twice, more than the ${inFlightAtKill} in flight`]
      : []),
    ...(!clean && stranger.length > 0 ? [`${stranger.length} twice that were not in flight at the kill`] : []),
    ...violations,
  ];
  return { row, note: outcome.note ?? '', violations: wrong };
}

export function rowOf(fault, tally, { more = 0, inFlightAtKill = 0, recoveryP99Ms = 0 } = {}) {
  return {
    fault,
    published: tally.published.size + more,
    handled: tally.handled + more,
    lost: tally.open.length,
    deliveredTwice: tally.twice.length,
    inFlightAtKill,
    recoveryP99Ms,
  };
}

export function tableOf(results) {
  const head = ['fault', 'published', 'handled', 'lost', 'twice', 'in flight', 'recovery p99', 'bounds'];
  const rows = results.map(({ row, violations }) => [
    row.fault,
    ...[row.published, row.handled, row.lost, row.deliveredTwice, row.inFlightAtKill].map(String),
    `${row.recoveryP99Ms} ms`,
    violations.length === 0 ? 'kept' : 'VIOLATED',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 || column === 7 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |\n`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|\n`, ...rows.map(line)].join('');
}
