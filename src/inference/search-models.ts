import { join } from 'node:path';
import type { Settings } from '../core/settings.ts';
import { clearModelCache, getCapabilities, getSearchChoice } from './capabilities.ts';
import { findModels } from './models/installed.ts';
import { DEFAULT_NAME, saveSearchChoice, toModelId } from './models/search-choice.ts';

// The choice of the model that the search uses: of the command line, and of administrators on the page.

type ModelLocations = Pick<Settings, 'dataDir' | 'modelsDir'>;

/** Returns the names of the models that the search can use: 'clip/NAME', and the default set. */
export function listSearchModels(folders: readonly string[]): readonly string[] {
  const { clip, otherClips } = findModels(folders);
  const names = [clip, ...otherClips].flatMap((model) => (model ? [`clip/${model.id}`] : []));
  return [...names, DEFAULT_NAME];
}

/** Saves the model in the first of the folders. Null: the first CLIP model by name, else the default set. */
export function chooseSearchModel(root: string, name: string | null): void {
  saveSearchChoice(root, name === null ? {} : { model: toModelId(name) });
  clearModelCache();
}

/**
 * Keeps the model of the search for good: what others have found for it is deleted within the hour. Returns its id,
 * undefined while no model is installed.
 */
export function confirmSearchModel(root: string, settings: ModelLocations): string | undefined {
  const modelId = getCapabilities(settings).embedding?.modelId;
  if (modelId === undefined) return undefined;
  saveSearchChoice(root, { ...getSearchChoice(settings), confirmed: modelId });
  clearModelCache();
  return modelId;
}

/** Returns the folder of models that belongs to the owner of a server. */
export const getOwnFolder = (settings: ModelLocations): string => join(settings.dataDir, 'models');
