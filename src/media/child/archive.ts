import { isUtf8 } from 'node:buffer';
import { openSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { limitFurtherMemory } from '../../core/rlimit.ts';
import {
  type ArchiveFault,
  type ArchiveMessage,
  type EntryFault,
  type EntryKind,
  toFrame,
} from '../archive-frames.ts';

// Reads a ZIP archive of a stranger in a confined process, which can write nothing but its standard output. Its parent
// decides which files that makes.

const MEMORY_BYTES = 512 * 1024 ** 2;
/** Parts of exports have tens of thousands of entries. */
const MAX_ENTRIES = 500_000;
/** A local header without its name. */
const LOCAL_HEADER_BYTES = 30;
const PIECE_BYTES = 256 * 1024;

/** Writes the archive as frames. Throws when the disk cannot read it. */
export async function serveArchive(path: string): Promise<number> {
  limitFurtherMemory(MEMORY_BYTES);
  const out = Bun.stdout.writer();
  const send = async (content: ArchiveMessage | Uint8Array) => {
    for (const part of toFrame(content)) await out.write(part);
    await out.flush();
  };
  const fault = await checkArchive(path, send);
  if (fault === undefined) await sendEntries(path, send);
  await send(fault === undefined ? { type: 'done' } : { type: 'fault', fault });
  return 0;
}

type Send = (content: ArchiveMessage | Uint8Array) => Promise<void>;

/** Names are decoded, and sizes compared, here: an entry that is wrong is no reason to leave out the others. */
const OPTIONS = {
  autoClose: false,
  lazyEntries: true,
  decodeStrings: false,
  validateEntrySizes: false,
} as const;

/** The descriptor lasts as long as this process. */
const openZip = (path: string): Promise<ZipFile> => fromFdPromise(openSync(path, 'r'), OPTIONS);

/** Yields what the directory of the archive lists. Throws the error of yauzl. */
async function* listEntries(zip: ZipFile): AsyncGenerator<Entry, void> {
  for (let left = zip.entryCount; left > 0; left--) {
    yield await new Promise<Entry>((resolve, reject) => {
      zip.once('entry', resolve).once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
  }
}

/** Sends the contents. Returns why the archive cannot be read. */
async function checkArchive(path: string, send: Send): Promise<ArchiveFault | undefined> {
  const magic = await readMagic(path);
  if (magic.startsWith(GZIP)) return 'tgz';
  try {
    const zip = await openZip(path);
    if (zip.entryCount > MAX_ENTRIES) return 'count';
    const spans: Span[] = [];
    let bytes = 0;
    for await (const entry of listEntries(zip)) {
      const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize } = entry;
      spans.push({ start, end: start + LOCAL_HEADER_BYTES + compressedSize });
      bytes += uncompressedSize;
    }
    if (haveOverlap(spans)) return 'overlap';
    await send({ type: 'contents', entries: spans.length, bytes });
    return undefined;
  } catch (error) {
    if (isFaultOfDisk(error)) throw error;
    const { message } = error as Error;
    if (/strong encryption/.test(message)) return 'encrypted';
    if (!magic.startsWith(ZIP)) return 'no_zip';
    return message.startsWith('End of central directory') ? 'cut' : 'damaged';
  }
}

const GZIP = '1f8b';
const ZIP = '504b';

async function readMagic(path: string): Promise<string> {
  await using file = await openFile(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.toString('hex', 0, bytesRead);
}

/** Errors of the system have a code, and those of zlib, too. */
const isFaultOfDisk = (error: unknown): boolean =>
  /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '');

type Span = { readonly start: number; readonly end: number };

/** Entries that share bytes unpack to many times what the archive has. */
function haveOverlap(spans: Span[]): boolean {
  spans.sort((one, other) => one.start - other.start);
  return spans.some(({ end }, at) => end > (spans[at + 1]?.start ?? Infinity));
}

async function sendEntries(path: string, send: Send): Promise<void> {
  const zip = await openZip(path);
  for await (const entry of listEntries(zip)) {
    const name = decodeName(entry);
    const kind = findKind(entry, name);
    const date = entry.getLastModDate().getTime();
    const modifiedMs = Number.isFinite(date) ? date : 0;
    await send({ type: 'entry', name, kind, modifiedMs });
    if (kind !== 'file') continue;
    const fault = await sendBytes(zip, entry, send);
    await send(fault === undefined ? { type: 'end' } : { type: 'end', fault });
  }
}

/** macOS writes UTF-8 without saying so; text in CP437 is hardly ever valid UTF-8. */
function decodeName({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isNamed = isUtf8(fileNameRaw);
  const name = isNamed
    ? fileNameRaw.toString()
    : getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  // Windows writes backslashes now and then.
  return name.replaceAll('\\', '/');
}

const UNIX = 3;
const TYPE_MASK = 0o170000;
const LINK = 0o120000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
/** Archives within archives are not unpacked. */
const ARCHIVE = /\.(?:zip|tgz|tar|tar\.gz|7z|rar)$/i;

function findKind(entry: Entry, name: string): EntryKind {
  const isUnix = entry.versionMadeBy >> 8 === UNIX;
  const type = isUnix ? (entry.externalFileAttributes >>> 16) & TYPE_MASK : 0;
  if (type === LINK) return 'link';
  if (name.endsWith('/') || type === FOLDER) return 'folder';
  if (type !== 0 && type !== REGULAR) return 'special';
  if (entry.isEncrypted()) return 'encrypted';
  return ARCHIVE.test(name) ? 'archive' : 'file';
}

/** Returns why the bytes are not those of the entry. */
async function sendBytes(zip: ZipFile, entry: Entry, send: Send): Promise<EntryFault | undefined> {
  if (!entry.canDecodeFileData()) return 'compression';
  let size = 0;
  let checksum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Uint8Array;
      size += bytes.length;
      if (size > entry.uncompressedSize) return 'damaged';
      checksum = crc32(bytes, checksum);
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        await send(bytes.subarray(at, at + PIECE_BYTES));
    }
  } catch (error) {
    if (isFaultOfDisk(error)) throw error;
    return 'damaged';
  }
  return size === entry.uncompressedSize && checksum === entry.crc32 ? undefined : 'damaged';
}
