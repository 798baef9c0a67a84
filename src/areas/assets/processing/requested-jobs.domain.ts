import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import type { AssetType } from '../../../db/tables/assets.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { detectFaces } from '../../../inference/index.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import type { AssetJobs } from '../update/bulk.schemas.ts';
import { findSidecars, readMetadata, renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import { findOwn, type Requested } from './requested-jobs.store.ts';

/** Enqueues jobs that process the caller's assets again. Throws 400 unless all are the caller's own. */
export async function runAssetJobs(ctx: Ctx, { assetIds, name }: AssetJobs): Promise<void> {
  requireUser(ctx.session);
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  await inTransaction(ctx, async ({ db, session }) => {
    const found = await findOwn(db, session, ids);
    if (found.size < ids.length) throw noAccess('asset.update');
    const payloads = (...wanted: AssetType[]) =>
      [...found].flatMap(([assetId, { type }]) => (wanted.includes(type) ? [{ assetId }] : []));
    switch (name) {
      case 'refresh-metadata':
        await enqueueMany(db, findSidecars, groupByLibrary(found));
        return enqueueMany(db, readMetadata, payloads('IMAGE', 'VIDEO', 'AUDIO'));
      case 'regenerate-thumbnail':
        await enqueueMany(db, renderImage, payloads('IMAGE'));
        return enqueueMany(db, renderVideo, payloads('VIDEO', 'AUDIO'));
      case 'transcode-video':
        return enqueueMany(db, transcodeVideo, payloads('VIDEO', 'AUDIO'));
      case 'refresh-faces':
        // Decisions of the owner stay: new detections are matched with known faces.
        return enqueueMany(
          db,
          detectFaces,
          payloads('IMAGE', 'VIDEO').map((one) => ({ ...one, force: true })),
        );
    }
  });
}

function groupByLibrary(found: ReadonlyMap<string, Requested>) {
  const byLibrary = Map.groupBy(found, ([, { libraryId }]) => libraryId);
  return [...byLibrary].flatMap(([libraryId, items]) =>
    libraryId === null ? [] : [{ libraryId, assetIds: items.map(([id]) => id) }],
  );
}
