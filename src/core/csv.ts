/** Returns a line of CSV (RFC 4180), with its end. */
export const formatCsvLine = (cells: readonly string[]): string =>
  `${cells.map(formatCell).join(',')}\r\n`;

/** A text that a spreadsheet would run as a formula gets an apostrophe before it. */
function formatCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
