import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import { isOutOfSpace } from '../../../core/disk-errors.ts';
import { AppError } from '../../../core/errors.ts';
import { requireExportSpace } from '../../../core/export-space.ts';
import type { Effect, JobCtx, JobHandler } from '../../../jobs/define.ts';
import { isMachineFault, isVerdict } from '../../../jobs/machine-faults.ts';
import { findNeeded, isRunning } from '../../../operations/files.store.ts';
import { publishLocalFile } from '../../uploads/index.ts';
import { listAssetIds } from '../projects/document.ts';
import { findProject, findRevision } from '../projects/store.ts';
import { countFrames } from '../render/layers.ts';
import { requireSources } from '../render/sources.ts';
import { SourceUnavailable } from '../render/source-unavailable.ts';
import { watchWhile } from '../render/watch.ts';
import { estimateBytes, getFilmName } from './domain.ts';
import { failExport, type Failure, notifyOfFilm } from './end.domain.ts';
import {
  getFilmPath,
  makeWorkFolder,
  removeExportFolder,
  removeWorkFolder,
  storeFilm,
} from './files.ts';
import { makeFilm } from './film/make-film.ts';
import type { exportProject } from './jobs.ts';
import type { FilmOperation } from './kind.ts';
import * as store from './store.ts';

const FAILED = 'The film could not be made, see the server log';
const CHECK_MS = 250;
/** Sound and the joining take the rest. */
const PICTURES_SHARE = 0.95;

const COMPLETED = { state: 'completed', progress: { share: 1 } } as const;

const createExportHandler =
  (findEncoders?: Parameters<typeof makeFilm>[2]): JobHandler<typeof exportProject> =>
  async (ctx, { operationId: exportId }) => {
    ctx.onFailed((db) => failExport(db, exportId, { error: FAILED }, ctx.now()));
    const film = await store.changeExport(ctx.db, exportId, ['queued', 'running'], {
      state: 'running',
    });
    if (!film) return tidy(ctx, exportId);
    const progress = createProgress(ctx, film);
    try {
      const signal = AbortSignal.any([ctx.signal, progress.signal]);
      return await execute({ ...ctx, signal }, film, progress.set, findEncoders);
    } catch (error) {
      if (progress.signal.aborted) return tidy(ctx, exportId);
      const failure = await findLastingFailure(ctx, error);
      if (failure === undefined || ctx.signal.aborted) throw error;
      ctx.log.warn('a film of a project could not be made', { exportId, reason: failure.error });
      await ctx.db.transaction((db) => failExport(db, exportId, failure, ctx.now()));
      return tidy(ctx, exportId);
    } finally {
      progress.stop();
    }
  };

export const handleExportProject = createExportHandler();

async function execute(
  ctx: JobCtx,
  order: FilmOperation,
  onProgress: (share: number) => void,
  findEncoders: Parameters<typeof makeFilm>[2],
): Promise<Effect | void> {
  const { id, payload } = order;
  const { width, height } = payload;
  const { document, name, sources } = await requireReadable(ctx, order);
  requireExportSpace(ctx, estimateBytes(document, payload));
  const target = getFilmPath(ctx.paths, id);
  const film = { document, sources, studio: ctx.paths.studio, size: { width, height } };
  const work = await makeWorkFolder(ctx.paths, id);
  const frames = countFrames(document);
  const onFrames = (made: number) => onProgress((PICTURES_SHARE * made) / frames);
  const size = await makeFilm(ctx, { film, title: name, work, target, onFrames }, findEncoders);
  const { session } = await requireReadable(ctx, order);
  if (order.file.destination === 'library')
    return publish({ ...ctx, session }, order, { size, path: target, name });
  const objectKey = await storeFilm(ctx, id);
  return async (db) => {
    const now = ctx.now();
    const ready = await store.changeExport(db, id, ['running'], {
      ...COMPLETED,
      finishedAt: now,
      file: { size, objectKey: objectKey ?? null },
    });
    if (ready) await notifyOfFilm(db, order, name, now);
    const isFile = ready && objectKey === undefined;
    return () => (isFile ? removeWorkFolder : removeExportFolder)(ctx.paths, id);
  };
}

/**
 * Returns what is shown. Throws SourceUnavailable once the account may not see an item of it any more, 404 for
 * the project itself.
 */
async function requireReadable(ctx: JobCtx, { accountId, payload }: FilmOperation) {
  const { projectId, revision } = payload;
  const session = await findAccountSession(ctx.db, accountId);
  const project = session && (await findProject(ctx.db, accountId, projectId));
  const stored = project && (await findRevision(ctx.db, projectId, revision));
  if (!stored) throw new AppError('notFound', 'The project is not available any more');
  const { document } = stored;
  const sources = await requireSources(ctx, session, listAssetIds(document));
  return { session, document, name: project.name, sources };
}

type Made = { readonly size: number; readonly path: string; readonly name: string };

/** Makes the film an item of the account. The export is ready in the transaction of the item: once. */
async function publish(
  ctx: JobCtx & { readonly session: UserSession },
  order: FilmOperation,
  { size, path, name }: Made,
): Promise<Effect | void> {
  const { id, accountId } = order;
  const finishedAt = ctx.now();
  const file = { path, fileName: getFilmName(name), type: 'VIDEO', createdAt: finishedAt } as const;
  await publishLocalFile(ctx, accountId, file, async (db, { id: assetId }) => {
    const change = { ...COMPLETED, finishedAt, file: { size, assetId } };
    if (!(await store.changeExport(db, id, ['running'], change)))
      throw new Error('The film is not wanted any more');
    await notifyOfFilm(db, order, name, finishedAt);
  });
  await removeExportFolder(ctx.paths, id);
}

/** Saves how far a film is, and aborts its signal when that was cancelled, or its project deleted. */
function createProgress({ db }: JobCtx, { id, progress }: FilmOperation) {
  let { share } = progress;
  let written = share;
  const watch = watchWhile(async () => {
    if (share - written < 0.001) return isRunning(db, id);
    written = share;
    return (await store.changeExport(db, id, ['running'], { progress: { share } })) !== undefined;
  }, CHECK_MS);
  return { ...watch, set: (value: number) => void (share = Math.max(share, value)) };
}

/** Returns the failure when another attempt would end in the same way. */
async function findLastingFailure(ctx: JobCtx, error: unknown): Promise<Failure | undefined> {
  if (error instanceof SourceUnavailable)
    return { error: error.message, unavailableId: error.assetId };
  if (isOutOfSpace(error)) return { error: 'The disk has no space left for the film' };
  if (isMachineFault(error)) return undefined;
  const isLasting = error instanceof AppError || (await isVerdict(ctx, error));
  return isLasting ? { error: (error as Error).message } : undefined;
}

/** Removes the folder of an export that is over, unless its file is to be downloaded. */
async function tidy(ctx: JobCtx, id: string): Promise<void> {
  if (!(await findNeeded(ctx.db, [id])).has(id)) await removeExportFolder(ctx.paths, id);
}
