import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { sha1Hex } from './checksum.ts';
import { isStored } from './publish.domain.ts';
import type { BulkCheckItem, BulkCheckResult } from '../schemas.ts';
import * as store from './publish.store.ts';

/** Which of these files the caller already has, whole and on disk, in the order of the question. */
export async function checkBulkUpload(
  ctx: Ctx,
  items: readonly BulkCheckItem[],
): Promise<BulkCheckResult[]> {
  if (items.length === 0) return [];
  const { userId } = requireUser(ctx.session);
  const sha1s = items.map((item) => sha1Hex(item.checksum));
  const rows = await store.findKnown(ctx.db, userId, [...new Set(sha1s)]);
  const stored = await filterStored(ctx, rows);
  const bySha1 = new Map(stored.map((row) => [row.sha1, row]));
  return items.map(({ id }, index) => {
    const known = bySha1.get(sha1s[index]!);
    if (!known) return { id, action: 'accept' };
    const { id: assetId, isTrashed } = known;
    return { id, action: 'reject', reason: 'duplicate', assetId, isTrashed };
  });
}

const STATS_AT_ONCE = 32;

/** Those whose original is there. Of the others the client is to send the bytes again. */
async function filterStored(ctx: Ctx, rows: readonly store.Known[]): Promise<store.Known[]> {
  const stored: store.Known[] = [];
  for (let at = 0; at < rows.length; at += STATS_AT_ONCE) {
    const some = rows.slice(at, at + STATS_AT_ONCE);
    const are = await Promise.all(some.map((row) => isStored(ctx, row)));
    stored.push(...some.filter((_, index) => are[index]));
  }
  return stored;
}
