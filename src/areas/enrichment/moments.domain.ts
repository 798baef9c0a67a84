import { randomUUIDv7 } from 'bun';
import type { Video } from './video.store.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound } from '../../core/errors.ts';
import type { VideoMomentRow } from '../../db/tables/videos.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { requireOwnVideo, requireWithinVideo, loadVideoView } from './domain.ts';
import type { Moment, MomentCreate, MomentUpdate } from './schemas.ts';
import * as store from './store.ts';
import { toMoment } from './moments-view.ts';

export async function createMoment(ctx: Ctx, id: string, given: MomentCreate): Promise<Moment> {
  return inTransaction(ctx, async (ctx) => {
    const video = await requireOwnVideo(ctx, id);
    const now = ctx.now();
    const moment: VideoMomentRow = {
      id: randomUUIDv7(),
      assetId: video.assetId,
      kind: 'manual',
      startMs: given.startMs,
      endMs: given.endMs ?? given.startMs,
      title: given.title ?? null,
      caption: null,
      transcript: given.transcript ?? null,
      frameId: null,
      source: null,
      models: null,
      createdAt: now,
      updatedAt: now,
    };
    requireOrder(video, moment);
    const scope = { ownerId: requireUser(ctx.session).userId, itemIds: [video.assetId] };
    await keepLimit(ctx, 'moment', scope, ({ db }) => store.insertMoment(db, moment));
    return toMoment(moment, await loadVideoView(ctx, video));
  });
}

export type MomentKey = { readonly id: string; readonly momentId: string };

/** Updates a manual moment; omitted members stay. Throws 404, and 400 for generated ones. */
export async function updateMoment(
  ctx: Ctx,
  key: MomentKey,
  change: MomentUpdate,
): Promise<Moment> {
  return inTransaction(ctx, async (ctx) => {
    const { video, moment } = await getManualMoment(ctx, key);
    const given = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    const changed: VideoMomentRow = { ...moment, ...given, updatedAt: ctx.now() };
    requireOrder(video, changed);
    await store.updateMoment(ctx.db, changed);
    return toMoment(changed, await loadVideoView(ctx, video));
  });
}

export async function deleteMoment(ctx: Ctx, key: MomentKey): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { moment } = await getManualMoment(ctx, key);
    await store.deleteMoment(ctx.db, moment.id);
  });
}

async function getManualMoment(
  ctx: Ctx,
  { id, momentId }: MomentKey,
): Promise<{ video: Video; moment: VideoMomentRow }> {
  const video = await requireOwnVideo(ctx, id);
  const moment = await store.findMoment(ctx.db, video.assetId, momentId);
  if (!moment) throw notFound('Moment');
  if (moment.kind === 'generated') throw badRequest('A generated moment cannot be changed');
  return { video, moment };
}

function requireOrder(video: Video, { startMs, endMs }: VideoMomentRow): void {
  if (endMs < startMs) throw invalidField('endMs', 'Before startMs');
  requireWithinVideo(video, 'endMs', endMs);
}
