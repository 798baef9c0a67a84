import type { JobHandler } from '../jobs/define.ts';
import { enqueue } from '../jobs/queue.ts';
import type { AnyKind } from './define.ts';
import type { cleanOperations } from './jobs.ts';
import * as store from './store.ts';

/** Expires and deletes operations, and enqueues those again whose job was lost. */
export const createCleaner =
  (kinds: readonly AnyKind[]): JobHandler<typeof cleanOperations> =>
  async ({ db, now }) => {
    await store.expireOperations(db, kinds, now());
    await store.deleteOld(db);
    for (const kind of kinds) {
      for (const operationId of await store.listAbandoned(db, kind)) {
        await enqueue(db, kind.job, { operationId });
      }
    }
  };
