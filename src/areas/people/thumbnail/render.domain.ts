import type { Db } from '../../../db/client.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { renderPerson } from '../jobs.ts';
import { detachForeignThumbnail } from './thumbnail.store.ts';

/** Whose faces have changed: a picture of somebody else goes at once, the right one follows. */
export async function enqueuePersonThumbnails(db: Db, ids: Iterable<string | null>): Promise<void> {
  for (const personId of new Set(ids)) {
    if (!personId) continue;
    await detachForeignThumbnail(db, personId);
    await enqueue(db, renderPerson, { personId });
  }
}
