import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeZip } from 'client-zip';
import { type DataPaths, originalPath } from '../../core/paths.ts';
import { createEntryNames } from './names.ts';
import type { StoredFile } from './store.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * A ZIP file made while it is read, one file open at a time. Photos and videos are compressed
 * already, so they are stored as they are. A file that is missing breaks the archive off: better than
 * one that looks complete.
 */
export function zipOf(paths: DataPaths, files: readonly StoredFile[]): ReadableStream<Uint8Array> {
  let current: AsyncGenerator<Uint8Array> | undefined;

  async function* entries() {
    const nameOf = createEntryNames();
    for (const file of files) {
      const { path, fileName, size } = contentOf(paths, file);
      current = chunksOf(path);
      yield {
        name: nameOf(fileName),
        size,
        lastModified: wallClock(file.localTakenAt),
        input: current,
      };
    }
  }

  const reader = makeZip(entries()).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      // The library leaves the file open, and answers its cancellation with the reason for it.
      await reader.cancel().catch(() => {});
      await current?.return(undefined);
    },
  });
}

function contentOf(paths: DataPaths, { fileName, editedName, ...file }: StoredFile) {
  if (editedName === null) {
    const path = originalPath(paths, Buffer.from(file.sha256, 'hex'));
    return { path, fileName, size: Number(file.size) };
  }
  const extension = editedName.slice(editedName.lastIndexOf('.'));
  return {
    path: join(paths.derived, editedName),
    fileName: fileName.replace(/(\.[^.]*)?$/, extension),
    size: Number(file.editedSize),
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The library writes a date as the clock of this machine shows it; the format begins in 1980. */
function wallClock(localTakenAt: string): Date {
  const date = new Date(localTakenAt.replace(' ', 'T'));
  const year = date.getFullYear();
  return year >= 1980 && year < 2108 ? date : new Date(1980, 0, 1);
}
