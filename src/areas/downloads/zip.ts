import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeZip } from 'client-zip';
import { type DataPaths, originalPath } from '../../core/paths.ts';
import { createEntryNames } from './entry-names.ts';
import type { StoredFile } from './store.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * A ZIP file made while it is read, one file open at a time. Photos and videos are compressed
 * already, so they are stored as they are. In the place of a file that is missing or damaged is a text
 * that says so: the archive does not look complete, and the others are in it.
 */
export function createZipStream(
  paths: DataPaths,
  files: readonly StoredFile[],
): ReadableStream<Uint8Array> {
  let current:
    { readonly file: FileHandle; readonly chunks: AsyncGenerator<Uint8Array> } | undefined;

  async function* entries() {
    const nameOf = createEntryNames();
    for (const file of files) {
      const content = contentOf(paths, file);
      const name = nameOf(content.fileName);
      const lastModified = wallClock(file.localTakenAt);
      const opened = await openWhole(content);
      if (!opened) {
        const input = `The file ${name} is missing or damaged on the server.\n`;
        yield { name: nameOf(`${name}.missing.txt`), lastModified, input };
        continue;
      }
      current = { file: opened, chunks: chunksOf(opened) };
      yield { name, size: content.size, lastModified, input: current.chunks };
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
      await current?.chunks.return(undefined);
      // One whose first byte was not asked for is not closed by its generator.
      await current?.file.close().catch(() => {});
    },
  });
}

type Content = { readonly path: string; readonly fileName: string; readonly size: number };

/** Undefined when there is no file of this length. */
async function openWhole({ path, size }: Content): Promise<FileHandle | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  const found = await file?.stat().catch(() => undefined);
  if (found?.isFile() && found.size === size) return file;
  await file?.close();
  return undefined;
}

/** Whether a file of this length is there. */
export async function isFileComplete(paths: DataPaths, file: StoredFile): Promise<boolean> {
  const opened = await openWhole(contentOf(paths, file));
  await opened?.close();
  return opened !== undefined;
}

function contentOf(paths: DataPaths, { fileName, editedName, ...file }: StoredFile): Content {
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

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
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
