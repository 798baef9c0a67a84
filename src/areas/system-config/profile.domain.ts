import { getInferenceMemory, type Profile } from '../../core/machine.ts';
import type { Settings } from '../../core/settings.ts';
import type { Db } from '../../db/client.ts';
import { readConfig, saveConfig } from './config.domain.ts';
import { DEFAULTS } from './defaults.ts';
import { MEDIA_QUEUES } from './media-queues.ts';

/** Returns the profile in force: the one that administrators have chosen, else that of the settings. */
export async function readProfile(db: Db, settings: Pick<Settings, 'profile'>): Promise<Profile> {
  const { machine } = await readConfig(db, 'machine');
  return machine.profile === 'auto' ? settings.profile : machine.profile;
}

/** Returns the settings of a process for the profile in force. An amount of memory that was set stays. */
export async function withProfile(db: Db, settings: Settings): Promise<Settings> {
  if (settings.inferenceMemoryBytes !== getInferenceMemory(settings.profile)) return settings;
  const profile = await readProfile(db, settings);
  return { ...settings, inferenceMemoryBytes: getInferenceMemory(profile) };
}

/**
 * Configures a library for a machine that was of another kind before: on a small one recognition is off,
 * and photos are worked on one after the other. Call it in a transaction.
 */
export async function applyProfile(
  db: Db,
  before: Profile,
  profile: Profile,
  now: Date,
): Promise<void> {
  const isSmall = profile === 'small';
  if (isSmall === (before === 'small')) return;
  const { machineLearning, job } = await readConfig(db, 'machineLearning', 'job');
  const limits = Object.fromEntries(
    MEDIA_QUEUES.map((queue) => [queue, isSmall ? { concurrency: 1 } : DEFAULTS.job[queue]]),
  );
  await saveConfig(
    db,
    { machineLearning: { ...machineLearning, enabled: !isSmall }, job: { ...job, ...limits } },
    now,
  );
}

export const configureNewLibrary = (db: Db, profile: Profile, now: Date): Promise<void> =>
  applyProfile(db, 'large', profile, now);
