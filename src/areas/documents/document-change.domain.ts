import { lockOwned } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { getDocument } from './domain.ts';
import type { DocumentResponse } from './schemas.ts';
import * as store from './store.ts';

/**
 * Runs `change` under a lock on the caller's document and returns the changed document. Throws 404.
 */
export function changeDocument(
  ctx: Ctx,
  id: string,
  change: (ctx: Ctx, assetId: string) => Promise<void>,
): Promise<DocumentResponse> {
  return inTransaction(ctx, async (ctx) => {
    const assetId = id.toLowerCase();
    if ((await lockOwned(ctx.db, ctx.session, [assetId])).size === 0) throw notFound('Document');
    const asset = await store.findAsset(ctx.db, ctx.session, assetId);
    if (!asset?.hasText) throw notFound('Document');
    await change(ctx, assetId);
    return getDocument(ctx, assetId);
  });
}

/**
 * Throws 409 `stale_revision` unless the given revision is the current one (undefined for none).
 */
export function requireRevision(given: number | undefined, current: number | undefined): void {
  if (given === current) return;
  throw conflict('The revision is stale: the document has changed', {
    code: 'stale_revision',
    currentRevision: current ?? null,
    retryable: false,
  });
}
