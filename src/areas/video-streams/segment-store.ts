import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../../core/context.ts';
import { perDatabase } from '../../db/per-database.ts';
import { createScratchPath, ensureScratchFolder } from '../assets/index.ts';

// Segments that were encoded, in files without names: whatever ends this process deletes them.

const MIB = 1024 ** 2;
/** About an hour of one video in 720 lines. */
const MAX_BYTES = 512 * MIB;
/** Each holds a descriptor of a file. */
const MAX_SEGMENTS = 512;

type Stored = { readonly file: FileHandle; readonly size: number };

const getStored = perDatabase(
  () =>
    new LRUCache<string, Stored>({
      max: MAX_SEGMENTS,
      maxSize: MAX_BYTES,
      sizeCalculation: ({ size }) => Math.max(1, size),
      dispose: ({ file }) => void file.close().catch(() => {}),
    }),
);

type Owner = Pick<Deps, 'sql' | 'paths'>;

/** Keeps a segment until others need its space. Throws where the disk is full. */
export async function storeSegment({ sql, paths }: Owner, key: string, bytes: Buffer) {
  const file = await openNameless(paths);
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  getStored(sql).set(key, { file, size: bytes.length });
}

/** O_TMPFILE of open(2): a file that never has a name. */
const NAMELESS = constants.O_DIRECTORY | 0o20_000_000;
const MODE = 0o600;

async function openNameless(paths: Owner['paths']): Promise<FileHandle> {
  const folder = await ensureScratchFolder(paths);
  try {
    return await open(folder, constants.O_RDWR | NAMELESS, MODE);
  } catch {
    // A network share knows no such files, and what else fails does so again.
    const path = await createScratchPath(paths, 'm4s');
    const file = await open(path, 'wx+', MODE);
    await rm(path, { force: true });
    return file;
  }
}

export const hasSegment = ({ sql }: Pick<Owner, 'sql'>, key: string): boolean =>
  getStored(sql).has(key);

/** Returns the bytes of a segment; undefined when they are not kept any more. */
export async function findStoredSegment(
  { sql }: Pick<Owner, 'sql'>,
  key: string,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const stored = getStored(sql).get(key);
  if (!stored) return undefined;
  const bytes = Buffer.alloc(stored.size);
  try {
    const { bytesRead } = await stored.file.read(bytes, 0, stored.size, 0);
    return bytesRead === stored.size ? bytes : undefined;
  } catch (error) {
    // It was closed meanwhile, to make space.
    if (getStored(sql).peek(key) !== stored) return undefined;
    throw error;
  }
}

/** Deletes all. */
export const clearSegments = ({ sql }: Pick<Owner, 'sql'>): void => getStored(sql).clear();
