import { lstat } from 'node:fs/promises';
import type { Ctx, Deps } from '../../core/context.ts';
import type { DateSource } from '../../media/date-rules.ts';
import { isPermanent, MediaError } from '../../media/errors.ts';
import { openExifTool } from '../../media/exiftool.ts';
import { getExtension } from '../../media/formats.ts';
import { type MediaMetadata, readMetadata } from '../../media/metadata.ts';
import type { MetadataOptions, MetadataSupplement } from '../../media/metadata-options.ts';
import { getUploadSpace } from '../../storage/index.ts';
import {
  diskFull,
  findAccount,
  isDiskFull,
  isQuotaExceeded,
  quotaExceeded,
  sumUsedBytes,
  isStorageFault,
} from '../uploads/index.ts';
import type { Facts } from './facts.ts';
import type { MediaFile } from './media-files.ts';
import type { ImportNote } from './notes.ts';
import { createReport, type ImportCounts, type ImportReport } from './report.ts';
import { explainDenied } from '../../core/disk-errors.ts';
import { AppError } from '../../core/errors.ts';
import { getSqlState } from '../../db/errors.ts';

export type ImportOptions = {
  /** Nothing is written. */
  readonly isDryRun?: boolean;
  /** The names of people in an export become tags. */
  readonly tagsPeople?: boolean;
  /** Dates of an export count more than those of files that tell another day, as scans do. */
  readonly trustsDates?: boolean;
};

export type ImportEvents = {
  /** The report changes as the import goes on. */
  readonly onProgress: (done: number, total: number, report: ImportReport) => void;
  readonly onRefused: (refusal: { readonly path: string; readonly reason: string }) => void;
  /** A file has been taken in, or left out, for a reason that its owner should know. */
  readonly onNoted?: (note: ImportNote) => void;
  readonly signal?: AbortSignal;
};

export type PlannedFile = { readonly sha1: string; readonly size: number };

/** One run of an import. */
export type ImportRun = {
  readonly ctx: Ctx;
  readonly ownerId: string;
  /** The folder that is imported, or that of downloads. */
  readonly root: string;
  readonly isDryRun: boolean;
  readonly tagsPeople: boolean;
  readonly trustsDates: boolean;
  readonly signal: AbortSignal | undefined;
  readonly report: ImportReport;
  count(added: Partial<ImportCounts>): void;
  /** Counts items that an album got; it may get some from several folders. */
  countAlbum(key: string, items: number): void;
  /** Files that have been dealt with. */
  advance(files: number): void;
  /** Throws an error that is not the fault of this file. */
  refuse(path: string, error: unknown): void;
  /** Adds a file to the report by name. */
  note(note: ImportNote): void;
  /** Returns undefined when the work refuses this file. */
  attempt<T>(path: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Counts files of other kinds, by extension. */
  countOthers(names: readonly string[]): void;
  /** In a dry run: counts the file as taken. Throws if there would be no room for it. */
  plan(file: PlannedFile): void;
  isPlanned(sha1: string): boolean;
  /** Names of people that are listed since they are not taken. */
  readonly leftPeople: Set<string>;
  /** Facts of photos that are not shown, by the identifier that the video of a live photo has, too. */
  readonly hidden: Map<string, Facts>;
  /** Work that must know everything that is hidden: it is done at the end. */
  readonly deferred: (() => Promise<void>)[];
  /** Returns what the file says of itself; undefined if it is damaged. Throws if it cannot be read now. */
  readOwnMetadata(file: MediaFile): Promise<MediaMetadata | undefined>;
  /** Returns which source the date of a file will be from, given the facts of an export. */
  findDateSource(file: MediaFile, supplement: MetadataSupplement): Promise<DateSource>;
  close(): Promise<void>;
};

export async function openRun(
  ctx: Ctx,
  { ownerId, root }: { readonly ownerId: string; readonly root: string },
  { isDryRun = false, tagsPeople = false, trustsDates = false }: ImportOptions,
  { onProgress, onRefused, onNoted, signal, total }: ImportEvents & { readonly total: number },
): Promise<ImportRun> {
  const report = createReport();
  const exiftool = openExifTool({ processes: 2, files: { read: [root] } });
  const room = await measureRoom(ctx, ownerId);
  const planned = new Set<string>();
  const albums = new Set<string>();
  let done = 0;
  const readOwnMetadata = async (
    { path, name }: MediaFile,
    over: Partial<MetadataOptions> = {},
  ): Promise<MediaMetadata | undefined> => {
    // ExifTool gets its orders by lines.
    if (/[\n\r]/.test(path)) return undefined;
    const options = { fileName: name, fallbackTime: new Date(0), ownerZone: 'UTC', ...over };
    try {
      return await readMetadata(exiftool, path, options);
    } catch (error) {
      if (error instanceof MediaError && isPermanent(error)) return undefined;
      throw error;
    }
  };
  const refuse = (path: string, error: unknown) => {
    const reason = getRefusal(error, ctx.paths.root);
    if (reason === undefined) throw error;
    report.refused += 1;
    onRefused({ path, reason });
  };
  return {
    ctx,
    ownerId,
    root,
    isDryRun,
    tagsPeople,
    trustsDates,
    signal,
    report,
    leftPeople: new Set(),
    hidden: new Map(),
    deferred: [],
    count(added) {
      for (const [name, number] of Object.entries(added)) report[name as 'taken'] += number;
    },
    countAlbum(key, items) {
      albums.add(key);
      report.albums = albums.size;
      report.albumItems += items;
    },
    advance(files) {
      done += files;
      onProgress(done, total, report);
    },
    refuse,
    note(note) {
      report.noted += 1;
      onNoted?.(note);
    },
    async attempt(path, work) {
      try {
        return await work();
      } catch (error) {
        refuse(path, error);
        return undefined;
      }
    },
    countOthers(names) {
      for (const name of names) {
        const kind = getExtension(name) || 'none';
        report.others[kind] = (report.others[kind] ?? 0) + 1;
      }
    },
    plan({ sha1, size }) {
      const bytes = report.takenBytes + size;
      if (bytes > room.quotaBytes) throw quotaExceeded();
      if (bytes > room.diskBytes) throw diskFull();
      planned.add(sha1);
      report.taken += 1;
      report.takenBytes = bytes;
    },
    isPlanned: (sha1) => planned.has(sha1),
    readOwnMetadata: (file) => readOwnMetadata(file),
    async findDateSource(file, supplement) {
      const { sidecarPath } = file;
      const fallbackTime = (await lstat(file.path)).mtime;
      const read = await readOwnMetadata(file, { fallbackTime, sidecarPath, supplement });
      return read?.dateSource ?? (supplement.takenAt ? 'Export' : 'FileModified');
    },
    close: () => exiftool.close(),
  };
}

/** Does the work of a run and closes it. Lack of room ends the run with the reason in its report. */
export async function completeRun(
  run: ImportRun,
  work: () => Promise<void>,
): Promise<ImportReport> {
  try {
    await work();
    for (const last of run.deferred.splice(0)) await last();
  } catch (error) {
    if (!isQuotaExceeded(error) && !isDiskFull(error)) throw error;
    run.report.stopped = (error as Error).message;
    run.report.stopCode = isQuotaExceeded(error) ? 'quota_exceeded' : 'storage_full';
  } finally {
    await run.close();
  }
  return run.report;
}

/** Returns the bytes that the quota of the account and the disk still allow. */
export async function measureRoom({ db, paths, settings }: Deps, ownerId: string) {
  const quota = (await findAccount(db, ownerId))?.quotaBytes ?? null;
  return {
    quotaBytes: quota === null ? Infinity : quota - (await sumUsedBytes(db, ownerId)),
    diskBytes: getUploadSpace(paths) - settings.reserveBytes,
  };
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'The user as whom Safelight runs may not read it',
  EPERM: 'The user as whom Safelight runs may not read it',
  ENOENT: 'It is gone, or its name is not in UTF-8',
  ENOTDIR: 'It is gone',
  ELOOP: 'It is a symbolic link',
  EINVAL: 'It is no regular file',
  EIO: 'The disk cannot read it',
  ESTALE: 'The network storage cannot read it',
};

/**
 * Returns the reason why one file cannot be taken in; undefined for an error of the database, of a tool, of the data
 * folder or for lack of room, with which the next file would fail too.
 */
export function getRefusal(error: unknown, dataFolder: string): string | undefined {
  if (isQuotaExceeded(error) || isStorageFault(error)) return undefined;
  if (error instanceof AppError || error instanceof MediaError) return error.message;
  if (isOddValue(error)) return `A value of it cannot be stored: ${findCause(error).message}`;
  const { code = '', path = '' } = error as NodeJS.ErrnoException;
  if (path.startsWith(dataFolder)) return undefined;
  return explainDenied(error as Error) ?? FILE_ERRORS[code];
}

/** SQLSTATE of data that PostgreSQL does not take: a NUL, or a date beyond its calendar. */
const DATA_EXCEPTION = /^22/;

const isOddValue = (error: unknown): error is Error =>
  error instanceof RangeError || DATA_EXCEPTION.test(getSqlState(error) ?? '');

/** The first cause does not quote the statement. */
const findCause = (error: Error): Error =>
  error.cause instanceof Error ? findCause(error.cause) : error;
