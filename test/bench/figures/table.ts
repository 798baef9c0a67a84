import { MEASURE_NAMES, MEASURES, type MeasureName, type Row } from './measures.ts';

/** Formats a value with the digits of its measure, in groups of thousands. */
export function formatValue(measure: MeasureName, value: number): string {
  const { digits } = MEASURES[measure];
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Formats a Markdown table whose cells are as wide as their column; all but the first are numbers. */
export function formatMarkdown(
  head: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...lines.map((line) => line[column] ?? '')].map((cell) => cell.length)),
  );
  const format = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [format(head), `| ${rule.join(' | ')} |`, ...lines.map(format)].join('\n');
}

/** Formats the rows as one table of Markdown for each of their tables, with a heading and a caption. */
export function formatTables(rows: readonly Row[], caption: string): string {
  const tables = Map.groupBy(rows, ({ table }) => table);
  return [...tables]
    .map(([title, members]) => `## ${title}\n\n${caption}\n\n${formatRows(members)}`)
    .join('\n\n');
}

function formatRows(rows: readonly Row[]): string {
  const columns = MEASURE_NAMES.filter((name) =>
    rows.some(({ values }) => values[name] !== undefined),
  );
  const head = ['', ...columns.map((name) => MEASURES[name].title)];
  const lines = rows.map(({ name, values, note }) => [
    note === undefined ? name : `${name}: ${note}`,
    ...columns.map((column) => {
      const value = values[column];
      return value === undefined ? '' : formatValue(column, value);
    }),
  ]);
  return formatMarkdown(head, lines);
}
