import { saveSources } from '../../../access/composites.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, conflict, notFound } from '../../../core/errors.ts';
import { sha256, toHex } from '../../../core/hash.ts';
import { toRational, toWire } from '../../../core/rational.ts';
import { requireValue } from '../../../core/required.ts';
import type { StudioDocument, StudioRenderRow } from '../../../db/tables/studio.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { requireProject } from '../projects/domain.ts';
import { createItemNames } from '../projects/stand-ins.ts';
import type { ProjectRow } from '../projects/store.ts';
import { RENDERER_VERSION } from '../render/frame.ts';
import { requireSources, type Source } from '../render/sources.ts';
import { findLayers } from '../render/layers.ts';
import { SourceUnavailable } from '../render/source-unavailable.ts';
import { getFramePath } from './files.ts';
import { renderFrame } from './jobs.ts';
import type {
  PreviewRequest,
  RetireQuery,
  StudioPreview,
  StudioPreviewResponse,
} from './schemas.ts';
import * as store from './store.ts';
import type { PreviewRow } from './store.ts';

const previewNotFound = () => notFound('Studio preview');

export const revisionSuperseded = (currentRevision: number) =>
  conflict('The project has a newer revision', { code: 'revision_superseded', currentRevision });

/**
 * Admits a request for a frame of the current revision. Requests for the same frame share one rendering.
 * Throws 404 for a project that the caller may not see, 409 for another revision, and for one whose items at
 * that time the caller may not see.
 */
export async function createPreview(
  ctx: Ctx,
  request: PreviewRequest,
): Promise<StudioPreviewResponse> {
  const { userId } = requireUser(ctx.session);
  const { projectId, revision, quality, viewport, consumerRequestId = null } = request;
  const project = await requireProject(ctx, projectId);
  if (project.headRevision !== revision) throw revisionSuperseded(project.headRevision);
  const time = toRational(request.time);
  const sourceIds = await requireVisible(ctx, project.document, time);
  const { numerator, denominator } = toWire(time);
  const { width, height } = viewport;
  const what = [RENDERER_VERSION, projectId, revision, numerator, denominator];
  const renderKey = toHex(sha256(JSON.stringify([...what, quality, width, height])));
  const frame = { projectId, revision, numerator, denominator, quality, width, height };
  const order = { ...frame, renderKey };
  return keepLimit(ctx, 'preview', { ownerId: userId }, async (ctx) => {
    const { render, isNew } = await admit(ctx, { ...order, accountId: userId }, sourceIds);
    const operationId = render.state === 'ready' ? null : render.id;
    const { id } = await store.insertPreview(ctx.db, {
      id: Bun.randomUUIDv7(),
      renderId: render.id,
      accountId: userId,
      consumerRequestId,
      operationId,
      createdAt: ctx.now(),
    });
    const preview = requireValue(await store.findPreview(ctx.db, userId, id), 'new preview');
    return { preview: toPreview(preview), operationId, isShared: !isNew };
  });
}

type RenderOrder = Omit<
  StudioRenderRow,
  'id' | 'state' | 'error' | 'createdAt' | 'readyAt' | 'releasedAt' | 'sourceCount'
>;

/** Joins the rendering of this frame, or starts it. */
async function admit(
  ctx: Ctx,
  order: RenderOrder,
  sourceIds: readonly string[],
): Promise<{ render: StudioRenderRow; isNew: boolean }> {
  const { db, paths } = ctx;
  for (;;) {
    const active = await store.lockActiveRender(db, order.renderKey);
    const isLost =
      active?.state === 'ready' && !(await Bun.file(getFramePath(paths, active)).exists());
    if (active && !isLost) return { render: active, isNew: false };
    if (active) await store.changeRender(db, active.id, ['ready'], { state: 'cancelled' });
    const id = Bun.randomUUIDv7();
    const values = { ...order, id, sourceCount: sourceIds.length, createdAt: ctx.now() };
    const render = await store.insertRender(db, { ...values, state: 'queued' });
    // Otherwise another request has just inserted it: it is there, or ends.
    if (render) {
      await saveSources(db, id, sourceIds);
      await enqueue(db, renderFrame, { renderId: render.id });
      return { render, isNew: true };
    }
  }
}

/** Returns the ids of the items at a time. Throws 409 unless the caller may see all, and their files are there. */
async function requireVisible(
  ctx: Ctx,
  document: StudioDocument,
  time: ReturnType<typeof toRational>,
): Promise<string[]> {
  const ids = [...new Set(findLayers(document, time).clips.map(({ clip }) => clip.assetId))];
  await requireAvailable(ctx, ids);
  return ids;
}

/** Returns the files of items. Throws 409 unless the caller may see all, and their files are there. */
export async function requireAvailable(
  ctx: Ctx,
  ids: readonly string[],
): Promise<Map<string, Source>> {
  try {
    return await requireSources(ctx, requireUser(ctx.session), ids);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    const toName = await createItemNames(ctx, [error.assetId]);
    const assetId = toName(error.assetId);
    throw conflict(error.message, { code: 'source_unavailable', assetId });
  }
}

export const getPreview = async (
  ctx: Ctx,
  id: string,
  consumerRequestId: string | undefined,
): Promise<StudioPreview> => toPreview(await requirePreview(ctx, id, consumerRequestId));

/** A server that stops waits for its requests. */
const WAIT_MS = 3000;
const CHECK_MS = 10;

/** Like getPreview once the frame is ready or over, or after `WAIT_MS`; sooner if `signal` says so. */
export async function waitForPreview(
  ctx: Ctx,
  id: string,
  consumerRequestId: string | undefined,
  signal: AbortSignal,
): Promise<StudioPreview> {
  await requirePreview(ctx, id, consumerRequestId);
  const until = performance.now() + WAIT_MS;
  while (!signal.aborted && performance.now() < until && (await store.isUnderWay(ctx.db, id)))
    await Bun.sleep(CHECK_MS);
  return getPreview(ctx, id, consumerRequestId);
}

/** Throws 404 for what is not the caller's, or belongs to another consumer. */
async function requirePreview(
  ctx: Ctx,
  id: string,
  consumerRequestId: string | undefined,
): Promise<store.PreviewRow & { readonly project: ProjectRow }> {
  const { userId } = requireUser(ctx.session);
  const row = await store.findPreview(ctx.db, userId, id);
  const scope = row?.preview.consumerRequestId;
  if (!row || (scope && scope !== consumerRequestId?.toLowerCase())) throw previewNotFound();
  return { ...row, project: await requireProject(ctx, row.render.projectId) };
}

/**
 * Retires a preview. The last one of a frame ends its rendering; the folder goes when the renderer has ended,
 * which the receipt tells apart. A scoped preview must be named with its consumer and operation.
 */
export async function retirePreview(
  ctx: Ctx,
  id: string,
  query: RetireQuery,
): Promise<StudioPreview> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const found = await store.findPreview(ctx.db, userId, id);
    if (!found) throw previewNotFound();
    const render = await store.lockRender(ctx.db, found.render.id);
    if (!render) throw previewNotFound();
    requireIdentities(found, query);
    await store.retirePreview(ctx.db, id, ctx.now());
    if (!render.releasedAt && (await store.countConsumers(ctx.db, render.id)) === 0) {
      await store.changeRender(ctx.db, render.id, ['queued', 'rendering'], { state: 'cancelled' });
      if (render.state === 'ready') await enqueue(ctx.db, renderFrame, { renderId: render.id });
    }
    const retired = await store.findPreview(ctx.db, userId, id);
    return toPreview(requireValue(retired, 'retired preview'));
  });
}

function requireIdentities(
  { preview: { consumerRequestId, operationId } }: store.PreviewRow,
  query: RetireQuery,
): void {
  const { expectedOperationId } = query;
  const isScoped = consumerRequestId !== null;
  for (const name of ['consumerRequestId', 'expectedOperationId'] as const)
    if (isScoped && query[name] === undefined)
      throw badRequest(`The preview belongs to a consumer: ${name} is required`);
  const isOther =
    (query.consumerRequestId !== undefined &&
      query.consumerRequestId.toLowerCase() !== consumerRequestId) ||
    (expectedOperationId !== undefined &&
      expectedOperationId.toLowerCase() !== (operationId ?? 'null'));
  if (isOther)
    throw conflict('The preview has another consumer or operation', { code: 'stale_revision' });
}

/**
 * Returns the file of a frame. Throws 404 while it is not ready, 409 once its revision is superseded and while the
 * caller may not see all its items.
 */
export async function getFrame(
  ctx: Ctx,
  id: string,
  consumerRequestId: string | undefined,
): Promise<{
  readonly path: string;
  readonly size: number;
  readonly type: string;
  readonly etag: string;
}> {
  const { preview, render, project } = await requirePreview(ctx, id, consumerRequestId);
  const { document, headRevision } = project;
  if (render.revision !== headRevision) throw revisionSuperseded(headRevision);
  const time = toRational({ numerator: render.numerator, denominator: render.denominator });
  await requireVisible(ctx, document, time);
  if (preview.retiredAt || render.state !== 'ready') throw notFound('Studio frame');
  const path = getFramePath(ctx.paths, render);
  const file = Bun.file(path);
  if (!(await file.exists())) throw notFound('Studio frame');
  return { path, size: file.size, type: file.type, etag: getEntityTag(render) };
}

/** '"3f2c8a10-r4-9be1d2c7"': changes with the revision and whatever else decides what the frame shows. */
const getEntityTag = ({ projectId, revision, renderKey }: StudioRenderRow): string =>
  `"${projectId.slice(0, 8)}-r${revision}-${renderKey.slice(0, 16)}"`;

const toPreview = ({
  preview,
  render,
  currentRevision,
  remainingConsumers,
}: PreviewRow): StudioPreview => ({
  id: preview.id,
  projectId: render.projectId,
  revision: render.revision,
  time: { numerator: render.numerator, denominator: render.denominator },
  quality: render.quality,
  viewport: { width: render.width, height: render.height },
  status: preview.retiredAt ? 'retired' : render.state,
  entityTag: render.state === 'ready' ? getEntityTag(render) : null,
  consumerRequestId: preview.consumerRequestId,
  operationId: preview.operationId,
  currentRevision,
  createdAt: preview.createdAt.toISOString(),
  readyAt: render.readyAt?.toISOString() ?? null,
  receipt: {
    deliveryRetiredAt: preview.retiredAt?.toISOString() ?? null,
    rendererReleasedAt: render.releasedAt?.toISOString() ?? null,
    remainingConsumers,
  },
  error: render.error,
});
