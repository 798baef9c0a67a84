import { type FileHandle, mkdir, open, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DiskFullError } from '../../../core/disk-errors.ts';
import { getFreeBytes } from '../../../core/disk-reserve.ts';
import { readArchive } from '../../../media/archive.ts';
import type {
  ArchiveEntry,
  ArchiveFault,
  ArchiveMessage,
  EntryFault,
  EntryKind,
} from '../../../media/archive-frames.ts';
import { getErrorCode, syncPath } from '../../../media/file-placement.ts';
import { createWriter, type Writer } from '../../../media/file-writer.ts';
import type { Left } from './files.ts';
import { toSafePath } from './names.ts';

const GIB = 1024 ** 3;
/** Texts and pictures without compression shrink so far; what unpacks to more is made to fill disks. */
const MAX_RATIO = 20;
/** Files that are made durable at once: each waits for the disk. */
const MAX_SYNCING = 16;

type Unpacking = {
  /** Bytes of the archive. */
  readonly size: number;
  /** The name that people know. */
  readonly name: string;
  /** The new folder of its files. */
  readonly folder: string;
  /** Bytes of the disk that stay free. */
  readonly reserveBytes: number;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
};

/**
 * Unpacks an archive into a folder, durably. Returns what it has left out. Throws DiskFullError where there is no space, and
 * other errors of the machine.
 */
export async function unpackArchive(path: string, unpacking: Unpacking): Promise<Left> {
  const { size, folder, signal } = unpacking;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = createFiles(folder);
  const taker = createTaker(unpacking, files);
  try {
    let refused: Left | undefined;
    for await (const content of readArchive(path, { size, signal })) {
      refused = await taker.take(content);
      if (refused) break;
    }
    await files.sync();
    return refused ?? taker.left;
  } finally {
    await taker.end();
    await files.idle();
  }
}

/** Makes the files of what the reader tells. */
function createTaker(
  { size, name: archive, folder, reserveBytes, onProgress }: Unpacking,
  files: ReturnType<typeof createFiles>,
) {
  const failures: Left['failures'][number][] = [];
  const notes: Left['notes'][number][] = [];
  let [limit, bytes] = [0, 0];
  let file: OpenFile | undefined;
  const toPath = (entry: string) => `${archive}/${entry}`;

  async function begin(entry: ArchiveEntry): Promise<void> {
    const { name, kind } = entry;
    const path = toPath(name);
    const opened = kind === 'file' ? await files.open(entry) : ENTRIES[kind];
    if (kind === 'archive') notes.push({ path, reasons: ['packed'] });
    else if (typeof opened === 'string') failures.push({ path, reason: opened });
    else file = opened;
  }

  async function finish(fault?: EntryFault): Promise<void> {
    const done = file;
    file = undefined;
    await done?.close(fault === undefined);
    if (done && fault) failures.push({ path: toPath(done.name), reason: FAULTS[fault] });
    onProgress(limit === 0 ? 1 : bytes / limit);
  }

  return {
    left: { failures, notes },
    /** Returns why nothing of the archive is unpacked. */
    async take(content: ArchiveMessage | Uint8Array): Promise<Left | undefined> {
      if (content instanceof Uint8Array) {
        bytes += content.length;
        if (bytes > limit) throw new Error('The reader of archives sends more than was announced');
        await file?.write(content);
      } else if (content.type === 'contents') {
        limit = content.bytes;
        if (limit > GIB + MAX_RATIO * size) return refuse(archive, 'bomb');
        requireSpace(folder, limit + reserveBytes);
      } else if (content.type === 'entry') await begin(content);
      else if (content.type === 'end') await finish(content.fault);
      else if (content.type === 'fault') return refuse(archive, content.fault);
      return undefined;
    },
    /** Removes a file whose bytes did not come. */
    end: async (): Promise<void> => file?.close(false),
  };
}

const refuse = (path: string, fault: ArchiveFault | 'bomb'): Left => ({
  failures: [{ path, reason: ARCHIVES[fault] }],
  notes: [],
});

function requireSpace(folder: string, bytes: number): void {
  if (getFreeBytes(folder) < bytes) throw new DiskFullError(`There is no space in ${folder}`);
}

/** The page has a text for each of these: src/web/data/move-in/file-reasons.ts. */
const ARCHIVES: Readonly<Record<ArchiveFault | 'bomb', string>> = {
  no_zip: 'It is no ZIP archive',
  tgz: 'It is a .tgz archive: choose ZIP when you order the export',
  cut: 'The archive ends early: download it again',
  damaged: 'The archive is damaged: download it again',
  encrypted: 'The archive is encrypted',
  overlap: 'Entries of the archive overlap: nothing of it is unpacked',
  count: 'The archive has too many entries',
  bomb: 'The archive would unpack to far more than its own size: nothing of it is unpacked',
};

const ENTRIES: Readonly<Partial<Record<EntryKind, string>>> = {
  link: 'It is a symbolic link',
  special: 'It is no regular file',
  encrypted: 'It is encrypted',
};

const FAULTS: Readonly<Record<EntryFault, string>> = {
  damaged: 'Its bytes in the archive are damaged: download the archive again',
  compression: 'It is compressed in a way that is not supported',
};

type OpenFile = {
  readonly name: string;
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Keeps the file, or removes it. */
  close(isKept: boolean): Promise<void>;
};

/** Makes files below a folder that nobody else writes to. */
function createFiles(root: string) {
  const folders = new Set([root]);
  const syncing = new Set<Promise<void>>();
  let fault: { readonly error: unknown } | undefined;

  async function makeFolder(names: readonly string[]): Promise<string> {
    const path = join(root, ...names);
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (let at = names.length; at > 0; at--) folders.add(join(root, ...names.slice(0, at)));
    return path;
  }

  /** Makes the file durable while the next one comes. */
  async function settle(path: string, file: FileHandle, writer: Writer, modifiedMs: number) {
    try {
      await writer.flush();
      await file.datasync();
      await utimes(path, new Date(modifiedMs), new Date(modifiedMs));
    } finally {
      await writer.idle();
      await file.close();
    }
  }

  return {
    /** Returns the reason why there is no such file. */
    async open({ name, modifiedMs }: ArchiveEntry): Promise<OpenFile | string> {
      const names = toSafePath(name);
      if (!names) return 'Its name leads out of the archive, or is too long';
      const path = join(root, ...names);
      let file: FileHandle;
      try {
        await makeFolder(names.slice(0, -1));
        file = await open(path, 'wx', 0o600);
      } catch (error) {
        if (!TAKEN.has(getErrorCode(error))) throw error;
        return 'The archive has another entry of this name';
      }
      const writer = createWriter(file);
      return {
        name,
        write: (bytes) => writer.write(bytes),
        async close(isKept) {
          if (!isKept) {
            await writer.idle();
            await file.close();
            return rm(path, { force: true });
          }
          const settling: Promise<void> = settle(path, file, writer, modifiedMs)
            .catch((error: unknown) => void (fault ??= { error }))
            .finally(() => syncing.delete(settling));
          syncing.add(settling);
          if (syncing.size >= MAX_SYNCING) await Promise.race(syncing);
          if (fault) throw fault.error;
        },
      };
    },
    /** Makes all durable. */
    async sync(): Promise<void> {
      await Promise.all(syncing);
      if (fault) throw fault.error;
      for (const folder of folders) await syncPath(folder);
      await syncPath(dirname(root));
    },
    idle: () => Promise.all(syncing),
  };
}

const TAKEN = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);
