import type { JobHandler } from '../jobs/define.ts';
import { startRequeue } from '../areas/assets/index.ts';
import { saveCurrentModels } from './analysis.store.ts';
import { getCapabilities } from './capabilities.ts';
import type { watchModels } from './jobs.ts';
import { STORED_TASKS } from './tasks.ts';

/** Also starts the first analysis of a library: no models are saved yet. */
export const handleWatchModels: JobHandler<typeof watchModels> = async ({ settings }) => {
  const capabilities = getCapabilities(settings);
  const installed = STORED_TASKS.flatMap((task) => {
    const capability = capabilities[task];
    return capability ? [{ task, modelId: capability.modelId }] : [];
  });
  if (installed.length === 0) return undefined;
  return async (tx) => {
    if (await saveCurrentModels(tx, installed)) {
      await startRequeue(tx, { queue: 'analysis', force: false }, { trigger: 'system' });
    }
  };
};
