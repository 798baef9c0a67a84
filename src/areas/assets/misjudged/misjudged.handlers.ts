import type { JobHandler } from '../../../jobs/define.ts';
import { enqueueMany } from '../../../jobs/queue.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { readMetadata, type rereadMisjudged, renderImage, renderVideo } from '../jobs.ts';
import { listMisjudged } from './misjudged.store.ts';

const PAGE_SIZE = 1000;

/** Enqueues the jobs page by page; after a crash from the start: those that wait are not enqueued twice. */
export const handleRereadMisjudged: JobHandler<typeof rereadMisjudged> = async (ctx) => {
  let after: string | undefined;
  await runThrottled(ctx, async () => {
    const rows = await listMisjudged(ctx.db, { after, limit: PAGE_SIZE });
    const pick = (isPicked: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(isPicked).map(({ id }) => ({ assetId: id }));
    await ctx.db.transaction(async (tx) => {
      await enqueueMany(
        tx,
        readMetadata,
        pick(({ mustBeRead, type }) => mustBeRead || type === 'AUDIO'),
      );
      await enqueueMany(
        tx,
        renderImage,
        pick(({ mustBeRendered, type }) => mustBeRendered && type === 'IMAGE'),
      );
      await enqueueMany(
        tx,
        renderVideo,
        pick(
          ({ mustBeRendered, type }) => mustBeRendered && (type === 'VIDEO' || type === 'AUDIO'),
        ),
      );
    });
    after = rows[PAGE_SIZE - 1]?.id;
    return after !== undefined;
  });
};
