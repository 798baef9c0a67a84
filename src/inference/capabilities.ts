import { join } from 'node:path';
import type { Settings } from '../core/settings.ts';
import { type CutOff, findModels, type InstalledModels } from './models/installed.ts';
import type { SearchChoice } from './models/search-choice.ts';
import { CONSE } from './models/semantic-models.ts';
import { CONSE_CUT_OFF } from './run/conse.ts';
import { STORED_TASKS } from './tasks.ts';
import type { Capabilities, Capability } from './types.ts';

type ModelLocations = Pick<Settings, 'dataDir' | 'modelsDir'>;

/** Returns the model folders: the owner's first, then the shared ones. */
export const listModelFolders = ({ dataDir, modelsDir }: ModelLocations): readonly string[] => [
  join(dataDir, 'models'),
  ...(modelsDir === undefined ? [] : [modelsDir]),
];

const FRESH_MS = 10_000;
const known = new Map<string, { readonly at: number; readonly models: InstalledModels }>();

/** Returns the installed models; cached for ten seconds. */
export function getInstalledModels(settings: ModelLocations): InstalledModels {
  const folders = listModelFolders(settings);
  const key = folders.join('\n');
  const found = known.get(key);
  if (found && performance.now() - found.at < FRESH_MS) return found.models;
  const models = findModels(folders);
  known.set(key, { at: performance.now(), models });
  return models;
}

/** Clears the cache after this process has installed models. */
export const clearModelCache = (): void => known.clear();

/** Version of what follows from labels (areas/search/labels/scenes.ts): with a new one all pictures are labelled again. */
const DERIVED_LABELS = 'scenes-2';

/** Returns the capabilities of the installed models. */
export const getCapabilities = (settings: ModelLocations): Capabilities =>
  toCapabilities(getInstalledModels(settings));

/** Returns the installed model of each task whose results are stored. */
export function listInstalledModels(settings: ModelLocations) {
  const capabilities = getCapabilities(settings);
  return STORED_TASKS.flatMap((task) => {
    const modelId = capabilities[task]?.modelId;
    return modelId === undefined ? [] : [{ task, modelId }];
  });
}

/**
 * Returns whether a picture can be analysed: false if this process would take the job and has no model for it. All
 * pictures are queued once there is one. Models of this moment count, for that queueing may be under way.
 */
export function canAnalyze(settings: ModelLocations & Pick<Settings, 'lanes'>): boolean {
  const hasModel = (capabilities: Capabilities) =>
    STORED_TASKS.some((task) => capabilities[task] !== undefined);
  return (
    !settings.lanes.includes('inference') ||
    hasModel(getCapabilities(settings)) ||
    hasModel(toCapabilities(findModels(listModelFolders(settings))))
  );
}

/** Length of the tag model's feature vector, before its last layer. */
const FEATURE_DIMENSION = 1024;

export function toCapabilities(models: InstalledModels): Capabilities {
  const { faces, sentences, objects, tags, text, speech } = models;
  const entries: readonly [keyof Capabilities, Capability | undefined][] = [
    ['faces', capability(faces)],
    ['embedding', selectSemanticModels(models)[0]],
    ['objects', capability(objects)],
    ['labels', capability(tags && { id: `${tags.id}+${DERIVED_LABELS}` })],
    ['text', capability(text)],
    ['feature', capability(tags && { id: tags.id, dimension: FEATURE_DIMENSION })],
    ['sentences', capability(sentences)],
    ['speech', capability(speech)],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * Returns the models that embed pictures and texts, best first: vectors may still be those of an
 * older one.
 */
export const listSemanticModels = (settings: ModelLocations): readonly Capability[] =>
  selectSemanticModels(getInstalledModels(settings));

export function selectSemanticModels({
  clip,
  otherClips,
  sentences,
  tags,
}: InstalledModels): readonly Capability[] {
  const conse = sentences && tags ? { id: CONSE, dimension: sentences.dimension } : undefined;
  const all = clip ? [clip, ...otherClips, conse] : [conse, ...otherClips];
  return all.map(capability).filter((model) => model !== undefined);
}

/** Returns what the owner has chosen for the search. */
export const getSearchChoice = (settings: ModelLocations): SearchChoice =>
  getInstalledModels(settings).searchChoice;

/** Returns the measured cut-off of a semantic model; undefined while nobody has measured it. */
export function findCutOff(settings: ModelLocations, modelId: string): CutOff | undefined {
  if (modelId === CONSE) return CONSE_CUT_OFF;
  const { clip, otherClips } = getInstalledModels(settings);
  return [clip, ...otherClips].find((model) => model?.id === modelId)?.cutOff;
}

const capability = (
  model: { readonly id: string; readonly dimension?: number } | undefined,
): Capability | undefined => model && { modelId: model.id, dimension: model.dimension ?? 0 };
