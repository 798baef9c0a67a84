import { withdrawComposites } from '../../../access/composites.ts';
import { requireUser } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess, notFound, badRequest } from '../../../core/errors.ts';
import { keepLimits } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import * as files from '../../../operations/files.store.ts';
import { changeFileOperation } from '../../../operations/files.store.ts';
import * as operations from '../../../operations/store.ts';
import * as storage from '../../../storage/index.ts';
import { findSizes } from '../../downloads/index.ts';
import { lockMemory } from '../store.ts';
import { type Language, pickLanguage } from '../../../core/languages.ts';
import { findOwnMemory } from '../visible.domain.ts';
import { removeFiles, toStoredFile } from './export-files.ts';
import {
  EXPORT_KINDS,
  type ExportFormat,
  exportKinds,
  type ExportOperation,
  getFormat,
} from './kind.ts';
import { type FilmOptions, isSameFilm, toPayload, getFilmDate, getFilmOptions } from './options.ts';
import type { MemoryExport } from './schemas.ts';
import { requireExportSpace } from '../../../core/export-space.ts';
import * as store from './store.ts';
import { publishLocalFile } from '../../uploads/index.ts';
import type { OperationState } from '../../../db/tables/operations.ts';

/** Bytes of a film of the greatest length with all its parts. */
export const FILM_SPACE_BYTES = 400 * 1024 ** 2;
/** More are not shown in one film. */
export const MAX_FILM_ITEMS = 18;

export const exportNotFound = () => notFound('Memory export');

/** Returns the caller's runs, newest first. */
export async function listExports(ctx: Ctx, memoryId?: string): Promise<MemoryExport[]> {
  const { userId } = requireUser(ctx.session);
  await settleExports(ctx);
  const subject = memoryId === undefined ? undefined : { memoryId };
  return (await files.listFileOperations(ctx.db, EXPORT_KINDS, userId, subject)).map(
    toMemoryExport,
  );
}

/** Throws 404, as for every other export that is not the caller's. */
export const getExport = async (ctx: Ctx, id: string): Promise<MemoryExport> =>
  toMemoryExport(await requireExport(ctx, id));

export async function requireExport(ctx: Ctx, id: string): Promise<ExportOperation> {
  const { userId } = requireUser(ctx.session);
  await settleExports(ctx, id);
  const row = await files.findFileOperation(ctx.db, EXPORT_KINDS, userId, id);
  if (!row) throw exportNotFound();
  return row;
}

/** Marks runs as expired and deletes their files, of one account or of all. */
export async function expireExports(
  ctx: Pick<Ctx, 'db' | 'now' | 'paths'>,
  accountId?: string,
): Promise<void> {
  const { db, paths } = ctx;
  await removeFiles(
    paths,
    await operations.expireOperations(db, EXPORT_KINDS, ctx.now(), accountId),
  );
}

/** Expires runs of the caller, and withdraws those, or that one, that the caller may not have any more. */
async function settleExports(ctx: Ctx, id?: string): Promise<void> {
  const session = requireUser(ctx.session);
  await expireExports(ctx, session.userId);
  await withdrawUnseen(ctx, session, id);
}

/** Ends completed runs of an account, or that one, with assets that it may not see any more, and deletes their files. */
export async function withdrawUnseen(
  { db, paths }: Pick<Ctx, 'db' | 'paths'>,
  session: UserSession,
  id?: string,
): Promise<void> {
  const downloads = await files.listDownloadable(db, EXPORT_KINDS, session, id);
  const ids = downloads.flatMap((download) => (download.isSeen ? [] : [download.id]));
  await withdrawComposites(db, ids);
  await removeFiles(paths, ids);
}

export type ExportOrder = {
  readonly kind: ExportFormat;
  /** Options of a film; an archive has none. */
  readonly options: FilmOptions;
  readonly language: Language;
};

/**
 * Queues an export of a memory, or returns the same one that is not over. Throws 400 for a memory
 * that is not the caller's, 409 and 429 beyond the limits of the account, 507 when the disk has no space for it.
 */
export async function createExport(
  ctx: Ctx,
  memoryId: string,
  { kind: format, options, language }: ExportOrder,
): Promise<MemoryExport> {
  const { userId } = requireUser(ctx.session);
  const kind = exportKinds[format];
  const isFilm = format === 'highlight-video';
  return inTransaction(ctx, async (ctx) => {
    // Under this lock no other request creates one, and the memory is not deleted.
    if (!(await lockMemory(ctx.db, userId, memoryId))) throw noAccess('memory.update');
    const active = (await files.listActive(ctx.db, kind, { memoryId })).find((run) =>
      isSameFilm(run, options),
    );
    if (active) return toMemoryExport(active);
    const memory = await findOwnMemory(ctx, memoryId, language);
    const assetIds = memory?.assetIds ?? [];
    const plannedBytes = isFilm ? FILM_SPACE_BYTES : await sumSizes(ctx, assetIds);
    requireExportSpace(ctx, plannedBytes);
    const total = isFilm ? Math.min(assetIds.length, MAX_FILM_ITEMS) : assetIds.length;
    const order = {
      accountId: userId,
      payload: { memoryId, language, ...(isFilm && toPayload(options)) },
      total,
      createdAt: ctx.now(),
    };
    const file = { memoryId, destination: 'download', plannedBytes } as const;
    // Throws 429 while the account has its most runs under way, 409 when its files would be too large.
    const created = await keepLimits(
      ctx,
      ['memoryExport', 'exportFile'],
      { ownerId: userId },
      ({ db }) => files.insertFileOperation(db, kind, order, file),
    );
    await enqueue(ctx.db, kind.job, { operationId: created.id });
    return toMemoryExport(created);
  });
}

/** Returns the bytes of the originals that would be exported. */
export async function sumSizes(ctx: Ctx, assetIds: readonly string[]): Promise<number> {
  const found = await store.findExportable(ctx.db, requireUser(ctx.session), assetIds);
  const videoIds = found.flatMap(({ liveVideoId }) => liveVideoId ?? []);
  const videos = await findSizes(ctx, videoIds);
  return [...found.map(({ size }) => size), ...videos.values()].reduce(
    (sum, size) => sum + size,
    0,
  );
}

/** Cancels a run: at once before it starts, else at its next asset. One that is over stays as it is. */
export async function cancelExport(ctx: Ctx, id: string): Promise<MemoryExport> {
  await requireExport(ctx, id);
  const { changeFileOperation: change } = files;
  const cancelled = { state: 'cancelled', finishedAt: ctx.now() } as const;
  const changed =
    (await change(ctx.db, EXPORT_KINDS, id, ['queued'], cancelled)) ??
    (await change(ctx.db, EXPORT_KINDS, id, ['running'], { state: 'cancelling' }));
  return changed ? toMemoryExport(changed) : getExport(ctx, id);
}

/** Deletes a run with its file; its job ends by itself. What was saved to the library stays. */
export async function deleteExport(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await files.findFileOperation(ctx.db, EXPORT_KINDS, userId, id))) throw exportNotFound();
  await operations.deleteOperation(ctx.db, id);
  await removeFiles(ctx.paths, [id]);
}

export type ExportDownload = storage.FileSource & {
  readonly size: number;
  readonly fileName: string;
  readonly type: 'application/zip' | 'video/mp4';
  readonly finishedAt: Date;
};

/** Throws 404 before the run is completed and after it has expired or was withdrawn, too. */
export async function getDownload(ctx: Ctx, id: string): Promise<ExportDownload> {
  const run = await requireExport(ctx, id);
  const { state, finishedAt } = run;
  const { size, name: fileName } = run.file;
  if (state !== 'completed' || size === null || fileName === null || !finishedAt) {
    throw exportNotFound();
  }
  const type = getFormat(run) === 'archive' ? 'application/zip' : 'video/mp4';
  const source = await storage.open(ctx, toStoredFile(ctx.paths, run));
  if (!source) throw exportNotFound();
  return { ...source, size, fileName, type, finishedAt };
}

/**
 * Saves the film of a completed run as an asset of the caller, once, at the date of its memory. Throws 404 for a run
 * that is not the caller's, 400 for one of another kind or state.
 */
export async function saveToLibrary(ctx: Ctx, id: string): Promise<MemoryExport> {
  const run = await requireExport(ctx, id);
  if (getFormat(run) !== 'highlight-video' || run.state !== 'completed') {
    throw badRequest('Only a completed film can be saved to the library', {
      code: 'invalid_state',
    });
  }
  if (run.file.assetId) return toMemoryExport(run);
  const { userId } = requireUser(ctx.session);
  const { memoryId, language } = run.payload;
  const memory = await findOwnMemory(ctx, memoryId, pickLanguage(language));
  const file = {
    path: await storage.locate(ctx, toStoredFile(ctx.paths, run)),
    fileName: run.file.name ?? 'Memory.mp4',
    type: 'VIDEO' as const,
    createdAt: memory ? getFilmDate(memory) : (run.finishedAt ?? ctx.now()),
  };
  await publishLocalFile(ctx, userId, file, async (db, { id: assetId }) => {
    const change = { file: { assetId } };
    if (!(await changeFileOperation(db, EXPORT_KINDS, id, ['completed'], change))) {
      throw exportNotFound();
    }
  });
  return toMemoryExport(await requireExport(ctx, id));
}

/** The states of exports by their names for clients; none is prepared or undone. */
const STATUSES: Readonly<Record<OperationState, MemoryExport['status']>> = {
  prepared: 'queued',
  queued: 'queued',
  running: 'running',
  cancelling: 'cancelling',
  undoing: 'cancelling',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  undone: 'cancelled',
  expired: 'expired',
};

function toMemoryExport(operation: ExportOperation): MemoryExport {
  const { file, payload, progress } = operation;
  const kind = getFormat(operation);
  const film = kind === 'highlight-video' ? getFilmOptions(operation) : undefined;
  const isDownloadable = operation.state === 'completed';
  return {
    id: operation.id,
    memoryId: payload.memoryId,
    kind,
    format: film?.format ?? null,
    music: film?.music ?? null,
    status: STATUSES[operation.state],
    total: operation.total,
    processed: progress.processed,
    skipped: progress.skipped,
    fileName: file.name,
    sizeInBytes: file.size,
    isDownloadable,
    canSaveToLibrary: isDownloadable && kind === 'highlight-video' && file.assetId === null,
    libraryAssetId: file.assetId,
    createdAt: operation.createdAt.toISOString(),
    startedAt: operation.startedAt?.toISOString() ?? null,
    finishedAt: operation.finishedAt?.toISOString() ?? null,
    expiresAt: operation.expiresAt?.toISOString() ?? null,
    error: operation.error,
  };
}
