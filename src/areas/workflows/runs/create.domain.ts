import { randomUUIDv7 } from 'bun';
import { findAssetOwner } from './events.store.ts';
import type { Deps } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { takeEvents } from './events.store.ts';
import * as store from './run.store.ts';

/** Workflows that start each other end here. */
const MAX_DEPTH = 3;

/** Creates the runs for the events of an asset, in their order. */
export const createRuns = (deps: Deps, assetId: string): Promise<void> =>
  inTransaction(deps, async ({ db, now, log }) => {
    const ownerId = await findAssetOwner(db, assetId);
    const events = ownerId ? await takeEvents(db, assetId) : [];
    for (const { trigger, depth } of events) {
      const workflows = await store.listEnabled(db, ownerId!, trigger);
      const isTooDeep = depth >= MAX_DEPTH;
      if (isTooDeep && workflows.length > 0) {
        log.warn('stopped workflows that start each other', { ownerId, trigger });
      }
      const runs = workflows.map((workflow): store.NewRun => {
        const id = randomUUIDv7();
        return {
          id,
          runId: id,
          attempt: 1,
          workflowId: workflow.id,
          assetId,
          depth,
          isLogged: workflow.isLogging,
          createdAt: now(),
          ...(isTooDeep && {
            result: 'halted',
            error: `Stopped: ${MAX_DEPTH} workflows in a row have started each other`,
            finishedAt: now(),
          }),
        };
      });
      await store.insertRuns(db, isTooDeep ? runs.filter((run) => run.isLogged) : runs);
    }
  });
