import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a value that can be made again: whoever reads the file sees all of it or none. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${Bun.randomUUIDv7()}`;
  await Bun.write(part, JSON.stringify(value));
  await rename(part, path);
}
