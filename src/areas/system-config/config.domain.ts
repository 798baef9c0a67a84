import { requireRecentProof } from '../../access/recent-proof.ts';
import type { Session } from '../../access/session.ts';
import type { Deps } from '../../core/context.ts';
import type { Settings } from '../../core/settings.ts';
import type { Db } from '../../db/client.ts';
import { announce } from '../../events/announce.ts';
import { DEFAULT_THRESHOLDS, type RecognitionConfig } from '../../inference/tasks.ts';
import { wakeDispatchers } from '../../jobs/schedule.ts';
import { DEFAULTS } from './defaults.ts';
import { MEDIA_QUEUES } from './media-queues.ts';
import { applyDifferences, findDifferences } from './differences.ts';
import { listProtectedChanges } from './protected.ts';
import type { AdminConfig } from './document/document.ts';
import { OWN_DEFAULTS, type SafelightConfig } from './document/own.ts';
import * as store from './store.ts';
import { getInferenceMemory, type Profile } from '../../core/machine.ts';

type Config = AdminConfig & SafelightConfig;
type Section = keyof Config;
const ALL_DEFAULTS: Config = { ...DEFAULTS, ...OWN_DEFAULTS };
/** Sections of Immich's document. */
export const SECTIONS = Object.keys(DEFAULTS) as readonly (keyof AdminConfig)[];

/** Returns sections of the configuration that administrators change while the server runs. */
export async function readConfig<S extends Section>(
  db: Db,
  ...sections: readonly S[]
): Promise<Pick<Config, S>> {
  const stored = await store.readSections(db, sections);
  return Object.fromEntries(
    sections.map((name) => [name, applyDifferences(ALL_DEFAULTS[name], stored.get(name) ?? {})]),
  ) as Pick<Config, S>;
}

/** A change is in force within a second. */
const RECENT_MS = 500;
type Recent = { readonly at: number; readonly config: Promise<AdminConfig> };
let recent = new WeakMap<Db, Recent>();

/** Returns the configuration of half a second ago or less: jobs cannot read it for each picture. */
export function readRecentConfig(db: Db): Promise<AdminConfig> {
  const now = performance.now();
  const known = recent.get(db);
  if (known && now - known.at < RECENT_MS) return known.config;
  const config = readConfig(db, ...SECTIONS);
  recent.set(db, { at: now, config });
  config.catch(() => recent.delete(db));
  return config;
}

/** The person at the command line of the server may change everything. */
export const OPERATOR = 'operator';
type ChangeCtx = Pick<Deps, 'db' | 'now'> & { readonly session: Session | typeof OPERATOR };

/**
 * Replaces sections on behalf of `session`; every change goes through here. Throws 403 that names the
 * protected settings that change, unless the session has a recent proof. Call it in a transaction.
 */
export async function changeConfig(ctx: ChangeCtx, sections: Partial<Config>): Promise<void> {
  // Another change must not come between the comparison and the write.
  await store.lockConfig(ctx.db);
  await requireMayChange(ctx, sections);
  await saveConfig(ctx.db, sections, ctx.now());
}

/** Throws the 403 of `changeConfig`: for what tries a value before it is saved. */
export async function requireMayChange(
  { db, session }: Pick<ChangeCtx, 'db' | 'session'>,
  sections: Partial<Config>,
): Promise<void> {
  const before = await readConfig(db, ...(Object.keys(sections) as Section[]));
  const paths = listProtectedChanges(before, sections);
  if (paths.length > 0 && session !== OPERATOR) requireRecentProof(session, paths);
}

/** Replaces sections and tells connected clients. Call it in a transaction. */
export async function saveConfig(db: Db, sections: Partial<Config>, now: Date): Promise<void> {
  for (const name of Object.keys(ALL_DEFAULTS) as Section[]) {
    const section = sections[name];
    if (!section) continue;
    const differences = findDifferences(ALL_DEFAULTS[name], section);
    if (Object.keys(differences).length === 0) await store.deleteSection(db, name);
    else await store.saveSection(db, name, differences, now);
  }
  recent = new WeakMap();
  await announce(db, { event: 'config' });
  await wakeDispatchers(db);
}

/** Returns the days that a trashed item is kept, 0 for ever: of the command line, else as configured. */
export const readTrashDays = async ({ db, settings }: Pick<Deps, 'db' | 'settings'>) =>
  settings.trashDays ?? (await readConfig(db, 'trash')).trash.days;

/** Members that the command line or the environment sets, with their flag. */
export const listLocked = ({
  trashDays,
  mediaConcurrency,
  logLevel,
}: Settings): readonly LockedMember[] =>
  [
    { path: 'trash.days', flag: '--trash-days', value: trashDays },
    ...MEDIA_QUEUES.map((queue) => ({
      path: `job.${queue}.concurrency`,
      flag: '--media-concurrency',
      value: mediaConcurrency,
    })),
    { path: 'logging.enabled', flag: '--log-level', value: logLevel && true },
    { path: 'logging.level', flag: '--log-level', value: logLevel && LEVEL_NAMES[logLevel] },
  ].filter(({ value }) => value !== undefined);

/** As Immich calls the levels of a log. */
const LEVEL_NAMES = { debug: 'debug', info: 'log', warn: 'warn', error: 'error' } as const;

export type LockedMember = {
  /** As 'trash.days'. */
  readonly path: string;
  readonly flag: string;
  readonly value: unknown;
};

/** Returns the queues of recognition that is switched off. */
export const listDisabledQueues = async (db: Db): Promise<Set<string>> =>
  filterDisabledQueues(await readConfig(db, 'machineLearning'));

/** Returns what recognition has to know, of half a second ago or less. */
export async function readRecognition(db: Db): Promise<RecognitionConfig> {
  const { machineLearning } = await readRecentConfig(db);
  const { facialRecognition, ocr } = machineLearning;
  const own = DEFAULTS.machineLearning.ocr;
  // Immich's defaults for text leave ours: its models count otherwise.
  const text = ocr.minRecognitionScore === own.minRecognitionScore;
  const textBox = ocr.minDetectionScore === own.minDetectionScore;
  return {
    disabled: filterDisabledQueues({ machineLearning }),
    thresholds: {
      face: facialRecognition.minScore,
      text: text ? DEFAULT_THRESHOLDS.text : ocr.minRecognitionScore,
      textBox: textBox ? DEFAULT_THRESHOLDS.textBox : ocr.minDetectionScore,
    },
  };
}

function filterDisabledQueues({
  machineLearning,
}: Pick<AdminConfig, 'machineLearning'>): Set<string> {
  const queues = {
    smartSearch: machineLearning.clip,
    faceDetection: machineLearning.facialRecognition,
    ocr: machineLearning.ocr,
    duplicateDetection: machineLearning.duplicateDetection,
  };
  return new Set(
    Object.entries(queues)
      .filter(([, { enabled }]) => !machineLearning.enabled || !enabled)
      .map(([queue]) => queue),
  );
}

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
