import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { hasOriginal, hasObjectStore } from '../../../storage/index.ts';
import { toSha1Hex } from './checksum.ts';
import type { BulkCheckItem, BulkCheckResult } from '../schemas.ts';
import * as store from './publish.store.ts';

/**
 * Returns, in the order of `items`, which files the caller already has, with their originals on disk.
 */
export async function checkBulkUpload(
  ctx: Ctx,
  items: readonly BulkCheckItem[],
): Promise<BulkCheckResult[]> {
  if (items.length === 0) return [];
  const { userId } = requireUser(ctx.session);
  const files = items.map(({ id, checksum }) => ({ id, sha1: toSha1Hex(checksum) }));
  const sha1s = files.map(({ sha1 }) => sha1);
  const known = await store.findKnownFiles(ctx.db, userId, sha1s);
  await dropLost(ctx, known);
  return files.map(({ id, sha1 }) => {
    const existing = known.get(sha1);
    if (!existing) return { id, action: 'accept' };
    const { id: assetId, isTrashed } = existing;
    return { id, action: 'reject', reason: 'duplicate', assetId, isTrashed };
  });
}

const MAX_CONCURRENT_STATS = 32;

/** Deletes files from the map whose original is not there: clients upload them again. */
async function dropLost(ctx: Ctx, files: Map<string, store.KnownFile>): Promise<void> {
  const keys = hasObjectStore(ctx.settings)
    ? await store.findObjectKeys(
        ctx.db,
        [...files.values()].map(({ sha256 }) => sha256),
      )
    : undefined;
  const left = files.entries();
  const check = async () => {
    for (const [sha1, file] of left) {
      const objectKey = keys?.get(file.sha256) ?? null;
      if (!(await hasOriginal(ctx, { ...file, objectKey }))) files.delete(sha1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_STATS, files.size) }, check));
}
