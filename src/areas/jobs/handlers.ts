import type { JobHandler } from '../../jobs/define.ts';
import type { tidyQueue } from './jobs.ts';
import { foldDone, forgetCancelled } from './store.ts';

export const handleTidy: JobHandler<typeof tidyQueue> = () =>
  Promise.resolve(async (tx) => {
    await foldDone(tx);
    await forgetCancelled(tx);
  });
