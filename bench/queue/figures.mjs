export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

export function whole(value) {
  return value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en');
}

export function tenths(value) {
  return value === null || value === undefined ? '–' : value.toFixed(1);
}

/** Left-aligned first column, the others right-aligned. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const line = (row) =>
    row
      .map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column])))
      .join('  ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
}
