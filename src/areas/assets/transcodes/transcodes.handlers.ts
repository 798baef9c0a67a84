import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import type { deleteTranscodes } from '../jobs.ts';
import { isPlayed } from './played-files.ts';
import * as store from './transcodes.store.ts';
import * as storage from '../../../storage/index.ts';

const PAGE_SIZE = 100;

/** Deletes page by page; a run that was interrupted is begun anew with what is left. */
export const handleDeleteTranscodes: JobHandler<typeof deleteTranscodes> = async (
  ctx,
  { minBytes },
) => {
  let after: store.TranscodeFile | undefined;
  await runThrottled(ctx, async () => {
    const files = await store.listTranscodes(ctx.db, { minBytes, after, limit: PAGE_SIZE });
    await deleteUnplayed(ctx, files);
    after = files.at(-1);
    return after !== undefined;
  });
};

/** The rows go first: a crash in between leaves files that no row has, which are swept. */
async function deleteUnplayed(ctx: JobCtx, files: readonly store.TranscodeFile[]): Promise<void> {
  const played = await Promise.all(
    files.map(({ name }) => isPlayed(storage.derivedFile(ctx.paths, name).path)),
  );
  const unplayed = files.filter((_, index) => !played[index]);
  if (unplayed.length === 0) return;
  const names = await inTransaction(ctx, ({ db, now }) => store.deleteFiles(db, unplayed, now()));
  await storage.remove(storage.derivedFiles(ctx.paths, names));
}
