import type { Deps } from '../../../core/context.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { cleanStudio } from './jobs.ts';
import * as store from './store.ts';

/** Ends what is rendered of the revisions before `revision`; their renderers notice. */
export async function endRenders(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  revision: number,
): Promise<void> {
  await store.cancelRenders(db, projectId, revision);
  // The rows go with the project, its folders stay.
  if (!Number.isFinite(revision)) await enqueue(db, cleanStudio, {});
}
