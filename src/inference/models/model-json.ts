import { existsSync, readFileSync } from 'node:fs';

/** Returns the members of a file, none where there is no file. Throws for what is no JSON. */
export const readJson = (path: string): Readonly<Record<string, unknown>> =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : {};

/** An incomplete folder or another kind of file is no model. */
export function tryRead<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
