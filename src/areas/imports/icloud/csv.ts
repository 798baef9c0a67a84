const FIELD = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n|\n|\r|$)/gy;

/** Parses the lines of a CSV file (RFC 4180), without empty ones. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  FIELD.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const at = FIELD.lastIndex;
    if (at >= text.length) break;
    const match = FIELD.exec(text);
    if (!match) {
      // A quote in the middle of a field: not RFC 4180. The line is left out.
      const end = text.indexOf('\n', at);
      FIELD.lastIndex = end < 0 ? text.length : end + 1;
      line = [];
      continue;
    }
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    if (line.some((field) => field !== '')) lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push(line);
  return lines;
}
