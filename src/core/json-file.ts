import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a value that can be made again: whoever reads the file sees all of it or none. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${Bun.randomUUIDv7()}`;
  await Bun.write(part, JSON.stringify(value));
  await rename(part, path);
}

/** Writes a value that must survive a loss of power: afterwards the file has the old value or the new one. */
export function writeDurably(path: string, value: unknown): void {
  const part = `${path}.${process.pid}`;
  const fd = openSync(part, 'w', 0o600);
  try {
    writeSync(fd, JSON.stringify(value));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
  syncFolder(dirname(path));
}

export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
