import { saveSources, withdrawComposites } from '../../../access/composites.ts';
import { requireUser } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, invalidField, notFound } from '../../../core/errors.ts';
import { requireExportSpace } from '../../../core/export-space.ts';
import { requireValue } from '../../../core/required.ts';
import { compare, multiply, toRational, toSeconds, ZERO } from '../../../core/rational.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import { keepLimits } from '../../../db/limits/keep-limit.ts';
import { enqueue } from '../../../jobs/queue.ts';
import * as files from '../../../operations/files.store.ts';
import { deleteOperation } from '../../../operations/store.ts';
import { type Size, toEven } from '../../../media/sizes.ts';
import { toFileTitle } from '../../downloads/index.ts';
import { requireAvailable, revisionSuperseded } from '../previews/domain.ts';
import { listAssetIds } from '../projects/document.ts';
import { requireProject } from '../projects/domain.ts';
import { createItemNames } from '../projects/stand-ins.ts';
import { listAccessible } from '../projects/store.ts';
import { getDuration } from '../render/layers.ts';
import * as storage from '../../../storage/index.ts';
import { removeExportFolder, toStoredFile } from './files.ts';
import { exportProject } from './jobs.ts';
import { filmKind, type FilmOperation, KEPT_MS } from './kind.ts';
import type { ExportCreate, StudioExport } from './schemas.ts';
import * as store from './store.ts';
import type { OperationState } from '../../../db/tables/operations.ts';

const exportNotFound = () => notFound('Studio export');

/**
 * Queues a film of the current revision, or returns the one that is not over; it shows that revision also if
 * a newer one is stored meanwhile. Throws 404 for a project that the caller may not see, 409 for another
 * revision, while the caller may not see all its items and when the films of the caller would be too large, 429
 * while too many of them are not over, 507 when the disk has no space for it.
 */
export async function createExport(
  ctx: Ctx,
  projectId: string,
  { revision, destination, height }: ExportCreate,
): Promise<StudioExport> {
  const { userId } = requireUser(ctx.session);
  const { document, headRevision } = await requireProject(ctx, projectId);
  if (headRevision !== revision) throw revisionSuperseded(headRevision);
  if (compare(getDuration(document), ZERO) === 0)
    throw conflict('The project shows nothing', { code: 'invalid_state' });
  const size = fitFilm(document, height);
  const sourceIds = listAssetIds(document);
  await requireAvailable(ctx, sourceIds);
  const plannedBytes = estimateBytes(document, size);
  requireExportSpace(ctx, plannedBytes);
  // Orders of an account wait for each other here: none is made twice.
  const limits = ['studioExport', 'exportFile'] as const;
  return keepLimits(ctx, limits, { ownerId: userId }, async (ctx) => {
    const active = (await files.listActive(ctx.db, filmKind, { projectId })).find(
      ({ accountId, payload, file }) =>
        accountId === userId &&
        payload.revision === revision &&
        payload.height === size.height &&
        file.destination === destination,
    );
    if (active) return showExport(ctx, active);
    const id = Bun.randomUUIDv7();
    const payload = { projectId, revision, ...size };
    const film = await files.insertFileOperation(
      ctx.db,
      filmKind,
      { id, accountId: userId, payload, createdAt: ctx.now() },
      { projectId, destination, plannedBytes, sourceCount: sourceIds.length },
    );
    await saveSources(ctx.db, id, sourceIds);
    await enqueue(ctx.db, exportProject, { operationId: id });
    await store.rankWaiting(ctx.db, userId);
    return showExport(ctx, film);
  });
}

function fitFilm(canvas: Size, height = canvas.height): Size {
  if (height > canvas.height)
    throw invalidField('height', `Must be at most ${canvas.height}, the height of the canvas`);
  return { width: toEven((canvas.width * height) / canvas.height), height: toEven(height) };
}

/** Bits that a pixel of a restless picture takes. */
const BITS = 0.2;
const SOUND_BYTES_PER_SECOND = 600_000;

/** Returns the bytes that a film needs while it is made: all its parts, and the film. */
export function estimateBytes(document: StudioDocument, { width, height }: Size): number {
  const duration = getDuration(document);
  const frames = toSeconds(multiply(duration, toRational(document.frameRate)));
  const pictures = (width * height * frames * BITS) / 8;
  return Math.ceil(2 * pictures + toSeconds(duration) * SOUND_BYTES_PER_SECOND);
}

const MAX_LISTED = 100;

/** Returns the caller's own exports of a project, newest first. */
export async function listExports(ctx: Ctx, projectId: string): Promise<StudioExport[]> {
  const session = requireUser(ctx.session);
  await requireProject(ctx, projectId);
  await withdrawUnseen(ctx, session);
  const { userId } = session;
  const { listFileOperations } = files;
  const films = await listFileOperations(ctx.db, [filmKind], userId, { projectId }, MAX_LISTED);
  return showExports(ctx, films);
}

async function showExports(ctx: Ctx, films: readonly FilmOperation[]): Promise<StudioExport[]> {
  const ids = films.flatMap(({ progress }) => progress.unavailableId ?? []);
  const toName = await createItemNames(ctx, ids);
  return films.map((film) => toExport(film, toName));
}

const showExport = async (ctx: Ctx, film: FilmOperation): Promise<StudioExport> =>
  requireValue((await showExports(ctx, [film]))[0], 'export');

export const getExport = async (ctx: Ctx, id: string): Promise<StudioExport> =>
  showExport(ctx, (await requireExport(ctx, id)).film);

/** Throws 404 for an export of somebody else, and for one of a project that the caller may not see. */
async function requireExport(ctx: Ctx, id: string) {
  const session = requireUser(ctx.session);
  await withdrawUnseen(ctx, session, id);
  const film = await files.findFileOperation(ctx.db, [filmKind], session.userId, id);
  if (!film) throw exportNotFound();
  return { film, project: await requireProject(ctx, film.payload.projectId) };
}

/**
 * Ends films of an account, or that one, with assets or of projects that it may not see any more, and deletes their
 * files.
 */
export async function withdrawUnseen(
  { db, paths }: Pick<Ctx, 'db' | 'paths'>,
  session: UserSession,
  id?: string,
): Promise<void> {
  const films = await files.listDownloadable(db, [filmKind], session, id);
  if (films.length === 0) return;
  const projectIds = films.flatMap(({ projectId }) => projectId ?? []);
  const accessible = await listAccessible(db, session.userId, projectIds);
  const unseen = films.filter(
    ({ projectId, isSeen }) => !isSeen || projectId === null || !accessible.has(projectId),
  );
  const ids = unseen.map(({ id }) => id);
  await withdrawComposites(db, ids);
  for (const id of ids) await removeExportFolder(paths, id);
}

/** Cancels an export, or deletes one that is over with its file. What is in the library stays. */
export async function deleteExport(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const film = await files.findFileOperation(ctx.db, [filmKind], userId, id);
  if (!film) throw exportNotFound();
  const change = { state: 'cancelled', finishedAt: ctx.now() } as const;
  // Its job removes the folder, once ffmpeg has ended.
  if (await store.changeExport(ctx.db, id, ['queued', 'running'], change)) return;
  await deleteOperation(ctx.db, id);
  await removeExportFolder(ctx.paths, id);
}

export const getFilmName = (projectName: string): string =>
  `${toFileTitle(projectName, 'Film')}.mp4`;

/** Returns the file of a film. Throws 404 unless it is ready, and once the caller may not see all its items. */
export async function getFilm(ctx: Ctx, id: string) {
  const { film, project } = await requireExport(ctx, id);
  const { size } = film.file;
  const endedAt = film.finishedAt;
  if (!isDownloadable(film) || size === null || !endedAt) throw notFound('Studio film');
  const source = await storage.open(ctx, toStoredFile(ctx.paths, film));
  if (!source) throw notFound('Studio film');
  return { ...source, size, endedAt, fileName: getFilmName(project.name) };
}

/** The states of films by their names for clients. One expires when the account may not have it any more. */
const STATES: Readonly<Record<OperationState, StudioExport['state']>> = {
  prepared: 'queued',
  queued: 'queued',
  running: 'rendering',
  completed: 'ready',
  failed: 'failed',
  expired: 'failed',
  cancelling: 'cancelled',
  cancelled: 'cancelled',
  undoing: 'cancelled',
  undone: 'cancelled',
};

const isDownloadable = ({ state, file }: FilmOperation): boolean =>
  state === 'completed' && file.destination === 'download';

/** `toName` gives the id by which the reader knows an item of the project. */
function toExport(film: FilmOperation, toName: (assetId: string) => string): StudioExport {
  const { payload, file, finishedAt, progress } = film;
  const { unavailableId } = progress;
  return {
    id: film.id,
    projectId: payload.projectId,
    revision: payload.revision,
    destination: file.destination,
    width: payload.width,
    height: payload.height,
    state: STATES[film.state],
    progress: progress.share,
    error: film.error,
    unavailableAssetId: unavailableId === undefined ? null : toName(unavailableId),
    sizeInBytes: film.state === 'completed' ? file.size : null,
    assetId: file.assetId,
    expiresAt:
      isDownloadable(film) && finishedAt
        ? new Date(finishedAt.getTime() + KEPT_MS).toISOString()
        : null,
    createdAt: film.createdAt.toISOString(),
    endedAt: finishedAt?.toISOString() ?? null,
  };
}
