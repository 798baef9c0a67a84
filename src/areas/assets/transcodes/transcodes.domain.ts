import type { Ctx } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { deleteTranscodes, transcodeVideo } from '../jobs.ts';
import type { DeleteTranscodesQuery, Transcodes } from './transcodes.schemas.ts';
import * as store from './transcodes.store.ts';

export async function getTranscodes({ db }: Ctx): Promise<Transcodes> {
  const { files, bytes, largeFiles, largeBytes, isDeleting } = await store.sumTranscodes(db);
  return { all: { files, bytes }, large: { files: largeFiles, bytes: largeBytes }, isDeleting };
}

/** Has converted videos deleted; those that are being played stay. */
export async function startDeletion(
  ctx: Ctx,
  { minBytes = 0 }: DeleteTranscodesQuery,
): Promise<void> {
  await enqueue(ctx.db, deleteTranscodes, { minBytes });
}

/** Has a video converted again whose conversion was deleted: somebody plays it. */
export async function restoreTranscode(ctx: Ctx, assetId: string): Promise<void> {
  if (!(await store.isMarked(ctx.db, assetId))) return;
  await inTransaction(ctx, async ({ db }) => {
    await store.deleteMark(db, assetId);
    await enqueue(db, transcodeVideo, { assetId });
  });
}
