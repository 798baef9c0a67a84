import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClipModel } from './installed.ts';
import { readJson, tryRead } from './model-json.ts';
import { CONSE } from './semantic-models.ts';

// The model that the owner of a server has chosen for the search, in a file beside the models: another process sees
// it, and it goes where the models go.

export type SearchChoice = {
  /** Undefined: the first CLIP model by name, else the default set. */
  readonly model?: string | undefined;
  /** The model with which the owner is content: vectors of others are not kept. */
  readonly confirmed?: string | undefined;
};

type ChosenClips = {
  readonly clip: ClipModel | undefined;
  readonly otherClips: readonly ClipModel[];
};

export function chooseClip(clips: readonly ClipModel[], { model }: SearchChoice): ChosenClips {
  const clip = model === CONSE ? undefined : (clips.find(({ id }) => id === model) ?? clips[0]);
  return { clip, otherClips: clips.filter((other) => other !== clip) };
}

const CHOICE_FILE = 'search.json';

/** Reads it from the folder of the owner. A file that cannot be read chooses nothing. */
export function readSearchChoice(folder = ''): SearchChoice {
  const { model, confirmed } = tryRead(() => readJson(join(folder, CHOICE_FILE))) ?? {};
  return {
    model: typeof model === 'string' ? model : undefined,
    confirmed: typeof confirmed === 'string' ? confirmed : undefined,
  };
}

export function saveSearchChoice(folder: string, choice: SearchChoice): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, CHOICE_FILE);
  writeFileSync(`${path}.part`, `${JSON.stringify(choice)}\n`, { flush: true });
  renameSync(`${path}.part`, path);
}

/** The name of the default set, as people choose it. */
export const DEFAULT_NAME = 'default';

/** Returns the name of a model as people choose it: 'clip/NAME' or 'default'. */
export const toChoiceName = (modelId: string): string =>
  modelId === CONSE ? DEFAULT_NAME : `clip/${modelId}`;

/** Returns the id of the model that a name chooses. */
export const toModelId = (name: string): string =>
  name === DEFAULT_NAME ? CONSE : name.slice('clip/'.length);
