import type { JobHandler } from '../jobs/define.ts';
import type { Db } from '../db/client.ts';
import { endAbsence, noteAwayModels, saveCurrentModels } from './analysis.store.ts';
import { listInstalledModels } from './capabilities.ts';
import type { awaitModels, watchModels } from './jobs.ts';

/** Queues the assets that lack results of the installed models, in the transaction that saves those. */
type StartAnalysis = (db: Db) => Promise<void>;

/** The handler also starts the first analysis of a library: no models are saved yet. */
export const createWatchHandler =
  (startAnalysis: StartAnalysis): JobHandler<typeof watchModels | typeof awaitModels> =>
  async ({ settings }) => {
    const installed = listInstalledModels(settings);
    return async (tx) => {
      await noteAwayModels(
        tx,
        installed.map(({ task }) => task),
      );
      const hasChanged = installed.length > 0 && (await saveCurrentModels(tx, installed));
      if (hasChanged) await startAnalysis(tx);
      await endAbsence(tx, hasChanged);
    };
  };
