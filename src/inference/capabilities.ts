import { join } from 'node:path';
import type { Settings } from '../core/settings.ts';
import { findModels, type InstalledModels } from './models/installed.ts';
import { CONSE } from './run/conse.ts';
import type { Capabilities, Capability } from './types.ts';

type ModelLocations = Pick<Settings, 'dataDir' | 'modelsDir'>;

/** The owner's own models first, then those that came with the program or are shared. */
export const listModelFolders = ({ dataDir, modelsDir }: ModelLocations): readonly string[] => [
  join(dataDir, 'models'),
  ...(modelsDir === undefined ? [] : [modelsDir]),
];

const FRESH_MS = 10_000;
const known = new Map<string, { readonly at: number; readonly models: InstalledModels }>();

/** Reads a few small files, at most once in ten seconds. */
export function getInstalledModels(settings: ModelLocations): InstalledModels {
  const folders = listModelFolders(settings);
  const key = folders.join('\n');
  const found = known.get(key);
  if (found && performance.now() - found.at < FRESH_MS) return found.models;
  const models = findModels(folders);
  known.set(key, { at: performance.now(), models });
  return models;
}

/** After models were installed by this process: the next question looks again. */
export const clearModelCache = (): void => known.clear();

/** What the installed models can do. */
export const getCapabilities = (settings: ModelLocations): Capabilities =>
  toCapabilities(getInstalledModels(settings));

/** The feature of the tag model, before its last layer. */
const FEATURE_DIMENSION = 1024;

export function toCapabilities(models: InstalledModels): Capabilities {
  const { faces, sentences, objects, tags, text, speech } = models;
  const entries: readonly [keyof Capabilities, Capability | undefined][] = [
    ['faces', capability(faces)],
    ['embedding', selectSemanticModels(models)[0]],
    ['objects', capability(objects)],
    ['labels', capability(tags)],
    ['text', capability(text)],
    ['feature', capability(tags && { id: tags.id, dimension: FEATURE_DIMENSION })],
    ['sentences', capability(sentences)],
    ['speech', capability(speech)],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What understands pictures and texts, the best first: vectors of another may still be the older ones. */
export const listSemanticModels = (settings: ModelLocations): readonly Capability[] =>
  selectSemanticModels(getInstalledModels(settings));

export function selectSemanticModels({
  clip,
  sentences,
  tags,
}: InstalledModels): readonly Capability[] {
  const conse = sentences && tags ? { id: CONSE, dimension: sentences.dimension } : undefined;
  return [capability(clip), capability(conse)].filter((model) => model !== undefined);
}

const capability = (
  model: { readonly id: string; readonly dimension?: number } | undefined,
): Capability | undefined => model && { modelId: model.id, dimension: model.dimension ?? 0 };
