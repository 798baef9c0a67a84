import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { sha1Hex } from './checksum.ts';
import type { BulkCheckItem, BulkCheckResult } from './schemas.ts';
import * as store from './store.ts';

/** Which of these files the caller already has, in the order of the question. */
export async function checkBulkUpload(
  ctx: Ctx,
  items: readonly BulkCheckItem[],
): Promise<BulkCheckResult[]> {
  if (items.length === 0) return [];
  const { userId } = asUser(ctx.session);
  const sha1s = items.map((item) => sha1Hex(item.checksum));
  const rows = await store.findKnown(ctx.db, userId, [...new Set(sha1s)]);
  const bySha1 = new Map(rows.map((row) => [row.sha1, row]));
  return items.map(({ id }, index) => {
    const known = bySha1.get(sha1s[index]!);
    if (!known) return { id, action: 'accept' };
    const { id: assetId, isTrashed } = known;
    return { id, action: 'reject', reason: 'duplicate', assetId, isTrashed };
  });
}
