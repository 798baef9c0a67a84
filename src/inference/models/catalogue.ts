import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueModel, SetName } from './catalogue-entry.ts';
import { DEFAULT_SET } from './default-models.ts';
import { SPEECH_SET } from './speech-models.ts';
import { TEXT_SET } from './text-models.ts';

/** Names in the layout of Immich, whose server needs the same files. The last one makes the folder a model. */
const CLIP_FILES = [
  'config.json',
  'textual/model.onnx',
  'textual/tokenizer.json',
  'textual/tokenizer_config.json',
  'visual/preprocess_cfg.json',
  'visual/model.onnx',
];
/** With weights beside the models; without what is for other runtimes. */
const CLIP_WANTED = /^(?:config\.json|(?:textual|visual)\/(?!.*\.(?:armnn|rknn)$)[^/]+)$/;

/** A model as Immich publishes it for its own server. The branch is named, since it cannot be known beforehand. */
function clip(
  name: string,
  about: Pick<CatalogueModel, 'set' | 'use' | 'licence' | 'origin'>,
): CatalogueModel {
  const repository = `immich-app/${name}`;
  return {
    id: `clip/${name}`,
    ...about,
    hub: { repository, revision: 'main', isWanted: CLIP_WANTED },
    files: CLIP_FILES.map((path) => ({
      path,
      sha256: undefined,
      bytes: undefined,
      sources: [{ url: `https://huggingface.co/${repository}/resolve/main/${path}` }],
    })),
  };
}

const CLIP_SET: readonly CatalogueModel[] = [
  clip('ViT-B-32__openai', {
    set: 'clip',
    use: 'search by meaning in English, better than the default set does it; about 610 MB',
    licence: 'MIT',
    origin: 'OpenAI CLIP ViT-B/32',
  }),
];

/**
 * Models that can be downloaded, with the digest of every file. A file comes from the first source that
 * has it; other bytes are rejected.
 */
export const CATALOGUE: readonly CatalogueModel[] = [
  ...DEFAULT_SET,
  ...TEXT_SET,
  ...SPEECH_SET,
  ...CLIP_SET,
];
export const SETS = [
  'default',
  'ocr',
  'speech',
  'speech-base',
  'clip',
] as const satisfies readonly SetName[];

/** Returns whether a folder has all files that the model needs. */
export const isInstalled = ({ id, files }: CatalogueModel, folders: readonly string[]): boolean =>
  folders.some((root) => files.every(({ path }) => existsSync(join(root, id, path))));
