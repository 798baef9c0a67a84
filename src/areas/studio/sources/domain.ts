import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { findSourceAssets } from '../render/sources.store.ts';
import { getStripPath, readOverview } from './files.ts';
import { makeOverview } from './jobs.ts';
import type { StudioSource } from './schemas.ts';

/**
 * Returns how a video looks and sounds on a timeline; it is made when it is asked for first. Throws 404 unless the
 * caller may use the video in a project.
 */
export async function getSource(ctx: Ctx, assetId: string): Promise<StudioSource> {
  const { sha256 } = await requireVideo(ctx, assetId);
  const overview = await readOverview(ctx.paths, sha256);
  if (overview) return { state: 'ready', ...overview };
  await enqueue(ctx.db, makeOverview, { sha256 });
  return { state: 'preparing', strip: null, waveform: null };
}

/** Returns the file of the strip. Throws 404 if there is none. */
export async function getStrip(ctx: Ctx, assetId: string) {
  const { sha256 } = await requireVideo(ctx, assetId);
  const path = getStripPath(ctx.paths, sha256);
  const file = Bun.file(path);
  if (!(await file.exists())) throw notFound('Strip');
  return { path, size: file.size, type: 'image/jpeg', etag: `"${sha256.slice(0, 32)}"` };
}

async function requireVideo(ctx: Ctx, assetId: string) {
  const found = await findSourceAssets(ctx.db, requireUser(ctx.session), [assetId]);
  const asset = found.get(assetId);
  if (asset?.type !== 'VIDEO') throw notFound('Video');
  return asset;
}
