import type { Db } from '../../../db/client.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { renderPerson } from '../../assets/index.ts';
import { detachForeignThumbnail } from './thumbnail.store.ts';

/**
 * Enqueues new thumbnails for people whose faces have changed; one that shows somebody else is
 * withdrawn at once.
 */
export async function enqueuePersonThumbnails(db: Db, ids: Iterable<string | null>): Promise<void> {
  for (const personId of new Set(ids)) {
    if (!personId) continue;
    await detachForeignThumbnail(db, personId);
    await enqueue(db, renderPerson, { personId });
  }
}
