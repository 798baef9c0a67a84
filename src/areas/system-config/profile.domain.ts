import type { Profile } from '../../core/machine.ts';
import type { Db } from '../../db/client.ts';
import { readConfig, saveConfig } from './config.domain.ts';
import { MEDIA_QUEUES } from './media-queues.ts';

/**
 * Configures a new library for the machine: on a small one recognition is off, and photos are worked on one
 * after the other. Administrators may change it like everything else. Call it in a transaction.
 */
export async function configureNewLibrary(db: Db, profile: Profile, now: Date): Promise<void> {
  if (profile !== 'small') return;
  const { machineLearning, job } = await readConfig(db, 'machineLearning', 'job');
  const one = Object.fromEntries(MEDIA_QUEUES.map((queue) => [queue, { concurrency: 1 }]));
  await saveConfig(
    db,
    { machineLearning: { ...machineLearning, enabled: false }, job: { ...job, ...one } },
    now,
  );
}
