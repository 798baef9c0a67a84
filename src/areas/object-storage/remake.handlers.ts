import type { JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { getFilePlace } from './files.domain.ts';
import {
  FILE_OWNERS,
  type FileOwner,
  listFilePage,
  type NamedFile,
} from '../../storage/files.store.ts';
import { requireStores } from '../../storage/index.ts';
import { getFirst } from '../../core/required.ts';
import { remakeMissingFiles } from './jobs.ts';
import { enqueueRemake, isUploaded } from './remake.domain.ts';

/** Time in ms after which a job continues as another job. */
const MAX_RUN_MS = 10_000;

export const handleRemakeMissingFiles: JobHandler<typeof remakeMissingFiles> = async (
  ctx,
  { owner: first = getFirst(FILE_OWNERS), after: start },
) => {
  const { db, paths, log } = ctx;
  const until = performance.now() + MAX_RUN_MS;
  let [owner, after]: [FileOwner | undefined, typeof start] = [first, start];
  let missing = 0;
  await runThrottled(ctx, async () => {
    if (owner === undefined) return false;
    await requireStores(ctx);
    const page = await listFilePage(db, owner, { place: 'files', after });
    const isMissing = async (file: NamedFile) =>
      !isUploaded(file) && !(await Bun.file(getFilePlace(paths, file).path).exists());
    for (const file of page) {
      if (!(await isMissing(file))) continue;
      await enqueueRemake(db, file);
      missing += 1;
    }
    after = page.at(-1);
    if (after === undefined) owner = FILE_OWNERS[FILE_OWNERS.indexOf(owner) + 1];
    return performance.now() < until;
  });
  if (missing > 0) log.info('missing derived files are made again', { files: missing });
  const next = owner && { owner, ...(after && { after: { id: after.id, kind: after.kind } }) };
  return next && ((tx) => enqueue(tx, remakeMissingFiles, next));
};
