// The last lines that this thread has logged, for administrators who cannot read the journal.

const MAX_LINES = 500;
const MAX_LINE_CHARACTERS = 2000;
const lines: string[] = [];

export function rememberLine(line: string): void {
  lines.push(line.slice(0, MAX_LINE_CHARACTERS).trimEnd());
  if (lines.length > MAX_LINES) lines.shift();
}

/** Returns the lines, oldest first, without colours and without what opens the server or its database. */
export const readRecentLog = (): string =>
  lines.map((line) => `${maskSecrets(Bun.stripANSI(line))}\n`).join('');

/** Tokens in addresses, and passwords in those of databases. */
const maskSecrets = (line: string): string =>
  line.replaceAll(/([?&]token=)[\w.-]+/g, '$1…').replaceAll(/(\/\/[^/\s:@"]+:)[^/\s@"]+@/g, '$1…@');
