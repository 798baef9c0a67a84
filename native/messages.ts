// Finds the messages of the page in its sources: each is its own English text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const WEB = join(import.meta.dir, '../src/web');
const CALL =
  /(?<![\w.])t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\$]|\\.)*)`|(?=.))/g;

/** Returns the sources of the page, without tests, by path within `src/web`. */
export function readSources(): Map<string, string> {
  const paths = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(WEB)].sort();
  return new Map(
    paths
      .filter((path) => !/\.test\.ts$|\.d\.ts$|^base\/i18n\.ts$/.test(path))
      .map((path) => [path, readFileSync(join(WEB, path), 'utf8')]),
  );
}

/** Returns every message that the page passes to `t`, sorted; throws where one is computed. */
export function listMessages(): string[] {
  const found = new Set<string>();
  for (const [path, text] of readSources()) {
    for (const match of text.matchAll(CALL)) {
      const message = match[1] ?? match[2] ?? match[3];
      if (message === undefined) {
        const line = text.slice(0, match.index).split('\n').length;
        throw new Error(`${path}:${line}: t() takes a message written out, not a value`);
      }
      found.add(message.replaceAll(/\\(.)/g, '$1'));
    }
  }
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}
