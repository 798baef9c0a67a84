import { withdrawComposites } from '../../../access/composites.ts';
import { requireUser } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess, notFound } from '../../../core/errors.ts';
import type { MemoryExportRow } from '../../../db/tables/memories.ts';
import { keepLimits } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { findSizes } from '../../downloads/index.ts';
import { lockMemory } from '../store.ts';
import type { Language } from '../../../core/languages.ts';
import { findOwnMemory } from '../visible.domain.ts';
import { getFilePath, removeFiles } from './export-files.ts';
import { exportArchive, exportFilm } from './jobs.ts';
import type { MemoryExport } from './schemas.ts';
import { requireExportSpace } from '../../../core/export-space.ts';
import * as store from './store.ts';
import { toMemoryExport } from './view.ts';

/** Bytes of a film of the greatest length with all its parts. */
export const FILM_SPACE_BYTES = 400 * 1024 ** 2;
/** More are not shown in one film. */
export const MAX_FILM_ITEMS = 18;

const JOBS = { archive: exportArchive, 'highlight-video': exportFilm } as const;
export const exportNotFound = () => notFound('Memory export');

/** Returns the caller's runs, newest first. */
export async function listExports(ctx: Ctx, memoryId?: string): Promise<MemoryExport[]> {
  const { userId } = requireUser(ctx.session);
  await settleExports(ctx);
  return (await store.listExports(ctx.db, userId, memoryId)).map(toMemoryExport);
}

/** Throws 404, as for every other export that is not the caller's. */
export const getExport = async (ctx: Ctx, id: string): Promise<MemoryExport> =>
  toMemoryExport(await requireExport(ctx, id));

export async function requireExport(ctx: Ctx, id: string): Promise<MemoryExportRow> {
  const { userId } = requireUser(ctx.session);
  await settleExports(ctx, id);
  const row = await store.findExport(ctx.db, userId, id);
  if (!row) throw exportNotFound();
  return row;
}

/** Marks runs as expired and deletes their files, of one account or of all. */
export async function expireExports(
  ctx: Pick<Ctx, 'db' | 'now' | 'paths'>,
  ownerId?: string,
): Promise<void> {
  await removeFiles(ctx.paths, await store.expireExports(ctx.db, ctx.now(), ownerId));
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
  const ids = await store.listUnseen(db, session, id);
  await withdrawComposites(db, ids);
  await removeFiles(paths, ids);
}

/**
 * Queues an export of a memory, or returns the one of this kind that is not over. Throws 400 for a memory
 * that is not the caller's, 409 and 429 beyond the limits of the account, 507 when the disk has no space for it.
 */
export async function createExport(
  ctx: Ctx,
  memoryId: string,
  kind: MemoryExportRow['kind'],
  language: Language,
): Promise<MemoryExport> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    // Under this lock no other request creates one, and the memory is not deleted.
    if (!(await lockMemory(ctx.db, userId, memoryId))) throw noAccess('memory.update');
    const active = await store.findActive(ctx.db, memoryId, kind);
    if (active) return toMemoryExport(active);
    const memory = await findOwnMemory(ctx, memoryId, language);
    const assetIds = memory?.assetIds ?? [];
    const isFilm = kind === 'highlight-video';
    const plannedBytes = isFilm ? FILM_SPACE_BYTES : await sumSizes(ctx, assetIds);
    requireExportSpace(ctx, plannedBytes);
    const row = await insertWithinLimits(ctx, {
      ownerId: userId,
      memoryId,
      kind,
      language,
      plannedBytes,
      total: isFilm ? Math.min(assetIds.length, MAX_FILM_ITEMS) : assetIds.length,
      createdAt: ctx.now(),
    });
    await enqueue(ctx.db, JOBS[kind], { exportId: row.id });
    return toMemoryExport(row);
  });
}

/** Throws 429 while the account has its most runs under way, 409 when its files would be too large. */
const insertWithinLimits = (ctx: Ctx, values: Parameters<typeof store.insertExport>[1]) =>
  keepLimits(ctx, ['memoryExport', 'exportFile'], values, ({ db }) =>
    store.insertExport(db, values),
  );

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
  const { userId } = requireUser(ctx.session);
  await settleExports(ctx, id);
  return inTransaction(ctx, async ({ db, now }) => {
    const row = await store.lockExport(db, userId, id);
    if (!row) throw exportNotFound();
    const changed =
      (await store.changeExport(db, id, ['queued'], { status: 'cancelled', finishedAt: now() })) ??
      (await store.changeExport(db, id, ['running'], { status: 'cancelling' }));
    return toMemoryExport(changed ?? row);
  });
}

/** Deletes a run with its file; its job ends by itself. What was saved to the library stays. */
export async function deleteExport(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await inTransaction(ctx, async ({ db }) => {
    if (!(await store.lockExport(db, userId, id))) throw exportNotFound();
    await store.deleteExport(db, id);
  });
  await removeFiles(ctx.paths, [id]);
}

export type ExportDownload = {
  readonly path: string;
  readonly size: number;
  readonly fileName: string;
  readonly type: 'application/zip' | 'video/mp4';
  readonly finishedAt: Date;
};

/** Throws 404 before the run is completed and after it has expired or was withdrawn, too. */
export async function getDownload(ctx: Ctx, id: string): Promise<ExportDownload> {
  const row = await requireExport(ctx, id);
  const { size, fileName, finishedAt, status, kind } = row;
  if (status !== 'completed' || size === null || fileName === null || !finishedAt) {
    throw exportNotFound();
  }
  const type = kind === 'archive' ? 'application/zip' : 'video/mp4';
  return { path: getFilePath(ctx.paths, row), size, fileName, type, finishedAt };
}
