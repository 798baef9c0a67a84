import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { toSha1Hex } from './checksum.ts';
import { isStored } from './publish.domain.ts';
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
  const sha1s = items.map((item) => toSha1Hex(item.checksum));
  const rows = await store.findBySha1(ctx.db, userId, [...new Set(sha1s)]);
  const stored = await filterStored(ctx, rows);
  const bySha1 = new Map(stored.map((row) => [row.sha1, row]));
  return items.map(({ id }, index) => {
    const existing = bySha1.get(sha1s[index]!);
    if (!existing) return { id, action: 'accept' };
    const { id: assetId, isTrashed } = existing;
    return { id, action: 'reject', reason: 'duplicate', assetId, isTrashed };
  });
}

const MAX_CONCURRENT_STATS = 32;

/** Keeps rows whose original is on disk: clients upload the others again. */
async function filterStored(
  ctx: Ctx,
  rows: readonly store.ExistingAsset[],
): Promise<store.ExistingAsset[]> {
  const stored: store.ExistingAsset[] = [];
  for (let at = 0; at < rows.length; at += MAX_CONCURRENT_STATS) {
    const batch = rows.slice(at, at + MAX_CONCURRENT_STATS);
    const isRowStored = await Promise.all(batch.map((row) => isStored(ctx, row)));
    stored.push(...batch.filter((_, index) => isRowStored[index]));
  }
  return stored;
}
