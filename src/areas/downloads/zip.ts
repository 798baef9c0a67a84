import type { FileHandle } from 'node:fs/promises';
import { makeZip } from 'client-zip';
import { openFile } from '../../core/guarded-path.ts';
import { createEntryNames } from './entry-names.ts';
import type { ArchivedFile } from './store.ts';
import * as storage from '../../storage/index.ts';

const CHUNK_BYTES = 256 * 1024;

/** Returns the text of the sidecar of an item; undefined for none. */
export type ToSidecar = (assetId: string) => Promise<string | undefined>;

/**
 * Creates a ZIP archive while it is read, with one file open at a time. Files are stored uncompressed.
 * A missing or damaged file is replaced by a text file that says so, so that the archive does not look
 * complete. Behind each file comes its sidecar, if it has one.
 */
export function createZipStream(
  deps: storage.StorageDeps,
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
  toSidecar?: ToSidecar,
): ReadableStream<Uint8Array> {
  let current: Opened | undefined;

  async function* entries() {
    const toUniqueName = createEntryNames();
    for await (const file of files) {
      const content = toContent(deps, file);
      const name = toUniqueName(content.fileName);
      const lastModified = toEntryDate(file.localTakenAt);
      current = await openComplete(deps, content);
      if (!current) {
        const input = `The file ${name} is missing or damaged on the server.\n`;
        yield { name: toUniqueName(name, '.missing.txt'), lastModified, input };
        continue;
      }
      yield { name, size: content.size, lastModified, input: current.chunks };
      const input = await toSidecar?.(file.id);
      if (input !== undefined) yield { name: toUniqueName(name, '.xmp'), lastModified, input };
    }
  }

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      // Nothing is opened before the stream is read.
      reader ??= makeZip(entries()).getReader();
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      // client-zip leaves the file open and rejects its cancellation with the reason.
      await reader?.cancel().catch(() => {});
      await current?.chunks.return(undefined);
      // A generator that has not started does not close its file.
      await current?.file?.close().catch(() => {});
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

type Content = {
  readonly stored: storage.StoredFile;
  readonly fileName: string;
  readonly size: number;
  readonly isDamaged: boolean;
};

type Opened = {
  readonly file: FileHandle | undefined;
  readonly chunks: AsyncGenerator<Uint8Array>;
};

/** Opens the content, or returns undefined when it does not have this length, or is known to be damaged. */
async function openComplete(
  deps: storage.StorageDeps,
  { stored, size, isDamaged }: Content,
): Promise<Opened | undefined> {
  if (isDamaged) return undefined;
  const source = await storage.open(deps, stored);
  if (!source) return undefined;
  if ('read' in source) return { file: undefined, chunks: source.read({ start: 0, end: size }) };
  const file = await openFile(source.path).catch(() => undefined);
  const found = await file?.stat().catch(() => undefined);
  if (file && found?.isFile() && found.size === size) return { file, chunks: readChunks(file) };
  await file?.close();
  return undefined;
}

/** Returns whether the content is there in its length. */
export async function isFileComplete(
  deps: storage.StorageDeps,
  file: ArchivedFile,
): Promise<boolean> {
  const opened = await openComplete(deps, toContent(deps, file));
  await opened?.file?.close();
  return opened !== undefined;
}

function toContent(
  { paths }: Pick<storage.StorageDeps, 'paths'>,
  { fileName, editedName, ...file }: ArchivedFile,
): Content {
  if (editedName === null) {
    const size = Number(file.size);
    const stored = storage.originalFile(paths, { ...file, size, path: file.externalPath });
    return { stored, fileName, size, isDamaged: file.isDamaged };
  }
  const extension = editedName.slice(editedName.lastIndexOf('.'));
  return {
    stored: storage.derivedFile(paths, editedName),
    fileName: fileName.replace(/(\.[^.]*)?$/, extension),
    size: Number(file.editedSize),
    isDamaged: false,
  };
}

async function* readChunks(file: FileHandle): AsyncGenerator<Uint8Array> {
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

/** client-zip writes dates in the machine's time zone; ZIP dates begin in 1980. */
function toEntryDate(localTakenAt: string): Date {
  const date = new Date(localTakenAt.replace(' ', 'T'));
  const year = date.getFullYear();
  return year >= 1980 && year < 2108 ? date : new Date(1980, 0, 1);
}
