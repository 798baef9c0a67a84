import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeModel } from '../onnx/describe.ts';
import { readClipSettings } from './clip-folder.ts';
import { readJson, toNumber, tryRead } from './model-json.ts';
import { chooseClip, readSearchChoice, type SearchChoice } from './search-choice.ts';

// Discovers models in the model folders. Ours and Immich's have the same layout, so a folder of its
// hub works unchanged: settings are read from the model's own files.

export type FaceModel = {
  readonly id: string;
  readonly detection: string;
  readonly recognition: string;
  readonly dimension: number;
  /** A pixel's value becomes (value - mean) / std. */
  readonly mean: number;
  readonly std: number;
};

export type ClipModel = {
  readonly id: string;
  readonly dimension: number;
  readonly visual: string;
  readonly textual: string;
  readonly tokenizer: string;
  readonly preprocess: ClipPreprocess;
  readonly contextLength: number;
  readonly padToken: string | undefined;
  readonly lowercase: boolean;
  /** Undefined: nobody has measured it. */
  readonly cutOff: CutOff | undefined;
};

/** Cosines of a query from which on a picture is a result. */
export type CutOff = {
  readonly least: number;
  /** Where labels have the terms of the query. */
  readonly besideLabels: number;
  /** Below the nearest one. */
  readonly distance: number;
};

export type ClipPreprocess = {
  readonly size: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  readonly interpolation: 'bicubic' | 'bilinear' | 'nearest';
  /** shortest: crops the middle; squash: ignores the aspect ratio. */
  readonly resize: 'shortest' | 'squash';
};

export type SentenceModel = {
  readonly id: string;
  readonly model: string;
  readonly tokenizer: string;
  readonly dimension: number;
};
export type ObjectModel = { readonly id: string; readonly model: string };
export type TagModel = { readonly id: string; readonly model: string; readonly labels: string };
/** Reads the letters of a line; of each line the recognizer that is most certain is believed. */
export type TextRecognizer = { readonly recognition: string; readonly dictionary: string };
export type TextModel = {
  /** With the names of all recognizers: what another one reads is not comparable. */
  readonly id: string;
  readonly detection: string;
  readonly recognizers: readonly TextRecognizer[];
};

/** Whisper. */
export type SpeechModel = {
  readonly id: string;
  readonly encoder: string;
  /** For all steps ("merged"), or for the first one. */
  readonly decoder: string;
  /** For the later ones, where that is another file. */
  readonly decoderWithPast: string | undefined;
  readonly tokenizer: string;
  readonly config: string;
  readonly generation: string | undefined;
  /** Number of mel bins. */
  readonly bins: number;
  readonly heads: number;
  readonly headLength: number;
};

export type InstalledModels = {
  readonly faces: FaceModel | undefined;
  /** Embeds pictures; undefined also where the default set does, by choice. */
  readonly clip: ClipModel | undefined;
  /** Embed queries only, for vectors that are still there. */
  readonly otherClips: readonly ClipModel[];
  /** The choice of the owner for the search. */
  readonly searchChoice: SearchChoice;
  readonly sentences: SentenceModel | undefined;
  readonly objects: ObjectModel | undefined;
  readonly tags: TagModel | undefined;
  readonly text: TextModel | undefined;
  readonly speech: SpeechModel | undefined;
};

/** Names in the default set: models that the owner has added take precedence. */
const DEFAULTS: ReadonlySet<string> = new Set([
  'blazeface-sface',
  'efficientdet-lite2',
  'mobilenet-v1',
  'all-MiniLM-L6-v2',
  'pp-ocrv5-mobile',
  'whisper-tiny',
]);

/** Returns the best model of each task; earlier folders take precedence. */
export function findModels(folders: readonly string[]): InstalledModels {
  const first = <T>(task: string, read: (folder: string, name: string) => T | undefined) => {
    for (const { folder, name } of candidates(folders, task)) {
      const model = tryRead(() => read(folder, name));
      if (model) return model;
    }
    return undefined;
  };
  const searchChoice = readSearchChoice(folders[0]);
  return {
    faces: first('facial-recognition', readFaces),
    ...chooseClip(listClips(folders), searchChoice),
    searchChoice,
    sentences: first('text', readSentences),
    objects: first('objects', readObjects),
    tags: first('tags', readTags),
    text: tryRead(() => readTextModels(folders)),
    speech: first('speech', readSpeech),
  };
}

/** Returns the first of the models with the same name. */
function listClips(folders: readonly string[]): readonly ClipModel[] {
  const clips = candidates(folders, 'clip').map(({ folder, name }) =>
    tryRead(() => readClip(folder, name)),
  );
  return [
    ...new Map(clips.toReversed().flatMap((clip) => (clip ? [[clip.id, clip]] : []))).values(),
  ].toReversed();
}

function candidates(folders: readonly string[], task: string) {
  const all = folders.flatMap((root) =>
    namesIn(join(root, task)).map((name) => ({ name, folder: join(root, task, name) })),
  );
  return all.sort(
    (a, b) => Number(DEFAULTS.has(a.name)) - Number(DEFAULTS.has(b.name)) || order(a.name, b.name),
  );
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter(
          (entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'),
        )
        .map((entry) => entry.name)
    : [];

/** Returns the paths of all files; undefined when one is missing. */
function filesIn<const K extends string>(
  folder: string,
  files: Readonly<Record<K, string>>,
): Record<K, string> | undefined {
  const paths = Object.entries<string>(files).map(
    ([key, name]) => [key, join(folder, name)] as const,
  );
  if (paths.some(([, path]) => !(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false))) {
    return undefined;
  }
  return Object.fromEntries(paths) as Record<K, string>;
}

function readFaces(folder: string, id: string): FaceModel | undefined {
  const files = filesIn(folder, {
    detection: 'detection/model.onnx',
    recognition: 'recognition/model.onnx',
  });
  if (!files) return undefined;
  const notes = readJson(join(folder, 'model.json'));
  return {
    id,
    ...files,
    dimension: lastDimension(files.recognition),
    mean: toNumber(notes['recognitionMean']) ?? 127.5,
    std: toNumber(notes['recognitionStd']) ?? 127.5,
  };
}

function readClip(folder: string, id: string): ClipModel | undefined {
  const files = filesIn(folder, {
    visual: 'visual/model.onnx',
    textual: 'textual/model.onnx',
    tokenizer: 'textual/tokenizer.json',
  });
  if (!files) return undefined;
  const dimension = () => lastDimension(files.visual);
  return readClipSettings(folder, { id, files, dimension });
}

function readSentences(folder: string, id: string): SentenceModel | undefined {
  const files = filesIn(folder, { model: 'model.onnx', tokenizer: 'tokenizer.json' });
  return files && { id, ...files, dimension: lastDimension(files.model) };
}

function readObjects(folder: string, id: string): ObjectModel | undefined {
  const files = filesIn(folder, { model: 'model.onnx' });
  return files && { id, ...files };
}

function readTags(folder: string, id: string): TagModel | undefined {
  const files = filesIn(folder, { model: 'model.onnx', labels: 'labels.txt' });
  return files && { id, ...files };
}

/** The first model that finds lines, with the recognizers of other alphabets that lie beside it. */
function readTextModels(folders: readonly string[]): TextModel | undefined {
  const all = candidates(folders, 'ocr').flatMap(({ folder, name }) => {
    const files = filesIn(folder, {
      recognition: 'recognition/model.onnx',
      dictionary: 'dict.txt',
    });
    return files ? [{ name, files, detection: filesIn(folder, DETECTION)?.detection }] : [];
  });
  const [main] = all.flatMap(({ detection, ...one }) => (detection ? [{ ...one, detection }] : []));
  if (!main) return undefined;
  const others = all.filter(({ detection, name }, at) => {
    const isFirst = all.findIndex((other) => other.name === name) === at;
    return detection === undefined && isFirst;
  });
  const used = [main, ...others];
  return {
    id: used.map(({ name }) => name).join('+'),
    detection: main.detection,
    recognizers: used.map(({ files }) => files),
  };
}
const DETECTION = { detection: 'detection/model.onnx' };

/** File names of the hub, smaller ones first; ours lie beside the configuration. */
const VARIANTS = ['_quantized', '_int8', '_uint8', ''];

function readSpeech(folder: string, id: string): SpeechModel | undefined {
  const files = filesIn(folder, { tokenizer: 'tokenizer.json', config: 'config.json' });
  const one = (ours: string, published: string) =>
    [ours, ...VARIANTS.map((variant) => `onnx/${published}${variant}.onnx`)]
      .map((name) => join(folder, name))
      .find((path) => existsSync(path));
  const encoder = one('encoder.onnx', 'encoder_model');
  const merged = one('decoder.onnx', 'decoder_model_merged');
  const decoderWithPast = merged
    ? undefined
    : one('decoder-with-past.onnx', 'decoder_with_past_model');
  const decoder = merged ?? (decoderWithPast && one('decoder-first.onnx', 'decoder_model'));
  if (!files || !encoder || !decoder) return undefined;
  const config = readJson(files.config);
  const heads = toNumber(config['decoder_attention_heads']);
  const width = toNumber(config['d_model']);
  if (!heads || !width) return undefined;
  const generation = join(folder, 'generation_config.json');
  return {
    id,
    ...files,
    encoder,
    decoder,
    decoderWithPast,
    generation: existsSync(generation) ? generation : undefined,
    bins: toNumber(config['num_mel_bins']) ?? 80,
    heads,
    headLength: width / heads,
  };
}

/** Returns the length of the vectors in the first output. */
function lastDimension(path: string): number {
  const dimension = describeModel(path).outputs[0]?.dims.at(-1);
  if (typeof dimension !== 'number')
    throw new Error(`${path} does not say how long its vectors are`);
  return dimension;
}
