import type { CatalogueModel, SetName } from './catalogue-entry.ts';
import { DEFAULT_SET } from './default-models.ts';
import { SPEECH_SET } from './speech-models.ts';
import { TEXT_SET } from './text-models.ts';

/** As Immich publishes it for its own server: the same folders and names. */
const HUB = 'https://huggingface.co/immich-app/ViT-B-32__openai/resolve/main';
const CLIP_FILES = [
  'config.json',
  'textual/model.onnx',
  'textual/tokenizer.json',
  'textual/tokenizer_config.json',
  'visual/model.onnx',
  'visual/preprocess_cfg.json',
];

const CLIP_SET: readonly CatalogueModel[] = [
  {
    id: 'clip/ViT-B-32__openai',
    set: 'clip',
    use: 'search by meaning, better than the default set does it',
    licence: 'MIT',
    origin: 'OpenAI CLIP ViT-B/32',
    files: CLIP_FILES.map((path) => ({
      path,
      sha256: undefined,
      bytes: undefined,
      sources: [{ url: `${HUB}/${path}` }],
    })),
  },
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
export const SETS: readonly SetName[] = ['default', 'ocr', 'speech', 'speech-base', 'clip'];
