import { join } from 'node:path';
import type { ClipModel, ClipPreprocess, CutOff } from './installed.ts';
import { readJson, toNumber, tryRead } from './model-json.ts';

// The settings of a CLIP model from the files that its publisher puts beside it.

export type ClipFiles = Pick<ClipModel, 'visual' | 'textual' | 'tokenizer'>;

/** `dimension`: of the vectors, where the configuration does not say it. */
export function readClipSettings(
  folder: string,
  { id, files, dimension }: { id: string; files: ClipFiles; dimension: () => number },
): ClipModel {
  const config = readJson(join(folder, 'config.json'));
  const text = (config['text_cfg'] ?? {}) as Record<string, unknown>;
  const kwargs = (text['tokenizer_kwargs'] ?? {}) as Record<string, unknown>;
  const tokenizer = readJson(join(folder, 'textual/tokenizer_config.json'));
  return {
    id,
    ...files,
    dimension: toNumber(config['embed_dim']) ?? dimension(),
    preprocess: readPreprocess(join(folder, 'visual/preprocess_cfg.json')),
    contextLength: toNumber(text['context_length']) ?? 77,
    padToken: getPadToken(tokenizer['pad_token']),
    lowercase: kwargs['clean'] === 'canonicalize',
    cutOff: readCutOff(join(folder, 'calibration.json')),
  };
}

/** Returns what somebody has measured of the model; undefined without such a file. */
function readCutOff(path: string): CutOff | undefined {
  const { least, besideLabels, distance } = tryRead(() => readJson(path)) ?? {};
  if (typeof least !== 'number' || !Number.isFinite(least)) return undefined;
  return {
    least,
    besideLabels: toNumber(besideLabels) ?? least,
    distance: toNumber(distance) ?? Number.POSITIVE_INFINITY,
  };
}

const getPadToken = (token: unknown): string | undefined =>
  typeof token === 'string' ? token : (token as { content?: string } | undefined)?.content;

const CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073];
const CLIP_STD = [0.26862954, 0.26130258, 0.27577711];

function readPreprocess(path: string): ClipPreprocess {
  const config = readJson(path);
  const size = Array.isArray(config['size']) ? (config['size'] as unknown[])[0] : config['size'];
  const interpolation = config['interpolation'];
  return {
    size: toNumber(size) ?? 224,
    mean: (config['mean'] as number[] | undefined) ?? CLIP_MEAN,
    std: (config['std'] as number[] | undefined) ?? CLIP_STD,
    interpolation:
      interpolation === 'bilinear' || interpolation === 'nearest' ? interpolation : 'bicubic',
    resize: config['resize_mode'] === 'squash' ? 'squash' : 'shortest',
  };
}
