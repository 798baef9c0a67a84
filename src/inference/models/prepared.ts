import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { computeSha256 } from '../../core/hash.ts';
import type { ProviderName } from '../types.ts';

import type { InstalledModels } from './installed.ts';
import { tryRead } from './model-json.ts';

// Models as they are run. `prepare/` rewrites a published file once, in a child of its own; the name of what it makes
// is all that is known about it: from which bytes, how, by which version, and the digest of its own bytes. So one
// rename publishes it, two processes write the same file, and versions of the program do not disturb each other.

/** Part of the names: has to be increased when a recipe gives other bytes. */
export const PREPARATION = 1;

/** How a published file is rewritten. */
export type Recipe =
  | 'objects'
  | 'objects-integers'
  | 'text-blocked'
  | 'text-integers'
  | 'speech-encoder'
  | 'speech-decoder';

/** The part that a file has in recognition. */
export type ModelUse =
  'objects' | 'textDetection' | 'textRecognition' | 'speechEncoder' | 'speechDecoder';

/** The machine that runs the models. */
export type Machine = {
  readonly provider: ProviderName;
  /** Whether the processor computes fast in integers of 8 bits. */
  readonly hasFastIntegers: boolean;
};

/** Objects below this score are not looked at. */
export const MIN_OBJECT_SCORE = 0.4;
/** The result of Whisper's encoder; some models also return attention maps. */
export const ENCODER_OUTPUT = 'last_hidden_state';
export const PRESENT = 'present.';
export const isDecoderOutput = (name: string): boolean =>
  name === 'logits' || name.startsWith(PRESENT);

/** Returns how a file is rewritten for a machine; undefined: it is run as it was published. */
export function chooseRecipe(
  use: ModelUse,
  { provider, hasFastIntegers }: Machine,
): Recipe | undefined {
  const hasIntegers = provider === 'cpu' && hasFastIntegers;
  // ONNX Runtime has a blocked layout for every processor of this architecture.
  const blocked = provider === 'cpu' && process.arch === 'x64' ? 'text-blocked' : undefined;
  switch (use) {
    case 'objects':
      return hasIntegers ? 'objects-integers' : 'objects';
    case 'textDetection':
      return hasIntegers ? 'text-integers' : blocked;
    case 'textRecognition':
      return blocked;
    case 'speechEncoder':
      return 'speech-encoder';
    case 'speechDecoder':
      return 'speech-decoder';
  }
}

/** Lists the files of models that may be rewritten. */
export function listPreparable({ objects, text, speech }: InstalledModels) {
  const all: readonly (readonly [use: ModelUse, path: string | undefined])[] = [
    ['objects', objects?.model],
    ['textDetection', text?.detection],
    ...(text?.recognizers ?? []).map(
      ({ recognition }) => ['textRecognition', recognition] as const,
    ),
    ['speechEncoder', speech?.encoder],
    ['speechDecoder', speech?.decoder],
    ['speechDecoder', speech?.decoderWithPast],
  ];
  return all.flatMap(([use, path]) => (path === undefined ? [] : [{ use, path }]));
}

/** The folder of prepared files, beside the models. */
export const getPreparedFolder = (root: string): string => join(root, '.prepared');

export const namePrepared = (source: string, recipe: Recipe, own = ''): string =>
  `${source}-${recipe}-${PREPARATION}-${own}${own && '.onnx'}`;

/**
 * Returns the file to run: the prepared one, or the published one where the recipe leaves that as it is (an empty file
 * says so). Undefined: it has to be prepared. Bytes that are not those of the name are ignored.
 */
export async function findPrepared(
  folders: readonly string[],
  path: string,
  recipe: Recipe,
): Promise<string | undefined> {
  const prefix = namePrepared(await computeSha256(Bun.file(path)), recipe);
  for (const folder of folders.map(getPreparedFolder)) {
    for (const name of listPrepared(folder).filter((one) => one.startsWith(prefix))) {
      const file = join(folder, name);
      const own = await computeSha256(Bun.file(file)).catch(() => undefined);
      if (name === `${prefix}${own}.onnx`) return Bun.file(file).size === 0 ? path : file;
    }
  }
  return undefined;
}

/** Returns the names in a folder of prepared files; none where it is missing or cannot be read. */
export const listPrepared = (folder: string): readonly string[] =>
  tryRead(() => readdirSync(folder)) ?? [];
