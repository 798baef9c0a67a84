import type { JobHandler } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { removeUnused } from '../sources/clean.ts';
import { deleteClosed } from '../streams/store.ts';
import { cleanExports } from '../exports/clean.domain.ts';
import { listRenderFolders, removeRenderFolder } from './files.ts';
import { type cleanStudio, renderFrame } from './jobs.ts';
import * as store from './store.ts';

const HOUR_MS = 60 * 60_000;
/** After this nobody comes back for a preview. */
const FORGOTTEN_MS = 6 * HOUR_MS;
/** So long the receipt of a frame can be read. */
const RECEIPT_MS = 24 * HOUR_MS;

export const handleCleanStudio: JobHandler<typeof cleanStudio> = async (ctx) => {
  const now = ctx.now();
  const before = (ms: number) => new Date(now.getTime() - ms);
  const unwanted = await store.retireForgotten(ctx.db, before(FORGOTTEN_MS), now);
  await enqueueMany(
    ctx.db,
    renderFrame,
    unwanted.map((renderId) => ({ renderId })),
  );
  await store.deleteReleased(ctx.db, before(RECEIPT_MS));
  await deleteClosed(ctx.db, before(HOUR_MS));
  const folders = await listRenderFolders(ctx.paths);
  for (const id of await store.listUnknownRenders(ctx.db, folders))
    await removeRenderFolder(ctx.paths, id);
  await cleanExports(ctx);
  await removeUnused(ctx);
};
