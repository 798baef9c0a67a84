import type { JobHandler } from '../jobs/define.ts';
import type { Db } from '../db/client.ts';
import { saveCurrentModels } from './analysis.store.ts';
import { getCapabilities } from './capabilities.ts';
import type { watchModels } from './jobs.ts';
import { STORED_TASKS } from './tasks.ts';

/** Queues the assets that lack results of the installed models, in the transaction that saves those. */
type StartAnalysis = (db: Db) => Promise<void>;

/** The handler also starts the first analysis of a library: no models are saved yet. */
export const createWatchHandler =
  (startAnalysis: StartAnalysis): JobHandler<typeof watchModels> =>
  async ({ settings }) => {
    const capabilities = getCapabilities(settings);
    const installed = STORED_TASKS.flatMap((task) => {
      const capability = capabilities[task];
      return capability ? [{ task, modelId: capability.modelId }] : [];
    });
    if (installed.length === 0) return undefined;
    return async (tx) => {
      if (await saveCurrentModels(tx, installed)) {
        await startAnalysis(tx);
      }
    };
  };
