// The words of inference: pictures in, what the models see in them out. Lengths and places in a
// picture are fractions of its width and height (0 to 1), so they hold for every size of it.

/** Red, green and blue, eight bits each, row by row. */
export type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
};

/** A file (best the stored preview: small, upright, sRGB), or a picture that is decoded already. */
export type ImageSource = { readonly path: string } | Pixels;

export type Point = { readonly x: number; readonly y: number };
export type Box = {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
};

/** Size of the analyzed picture in pixels. */
export type PictureSize = { readonly width: number; readonly height: number };

/** Left eye, right eye, nose, left and right corner of the mouth, as seen in the picture. */
export type Landmarks = readonly [Point, Point, Point, Point, Point];

export type DetectedFace = {
  readonly box: Box;
  /** 0 to 1; below 0.7 it is often no face. */
  readonly score: number;
  readonly landmarks: Landmarks;
};

/** With the vector that tells people apart: unit length, of `modelId`'s dimension. */
export type Face = DetectedFace & { readonly vector: Float32Array };

/** One of the 80 kinds of COCO: 'person', 'dog', 'car' … */
export type DetectedObject = {
  readonly label: string;
  readonly score: number;
  readonly box: Box;
};

/** One of the 1000 kinds of ImageNet, the first of its names: 'tabby', 'seashore' … */
export type Label = { readonly label: string; readonly score: number };

/** Corners of a line of text: top left, top right, bottom right, bottom left, as it is read. */
export type Quad = readonly [Point, Point, Point, Point];
export type TextLine = {
  readonly text: string;
  readonly quad: Quad;
  /** Confidence of the place and of the characters, 0 to 1. */
  readonly boxScore: number;
  readonly score: number;
};

/** Cells along each side of a layout. */
export const LAYOUT_SIDE = 8;
/** Mean red, green and blue, and the standard deviation of the luminance, 0 to 255 each. */
export type LayoutCell = readonly [red: number, green: number, blue: number, contrast: number];
/** Cells of a picture, row by row from the top left. */
export type Layout = readonly LayoutCell[];

/** Results of an analysis. Vectors have unit length. */
export type TaskResults = {
  readonly faces: readonly Face[];
  /** For the semantic search: same space as `Inference.embedQuery`. */
  readonly embedding: Float32Array;
  readonly objects: readonly DetectedObject[];
  readonly labels: readonly Label[];
  readonly text: readonly TextLine[];
  /** Near-equal pictures have near-equal features: cosine 0.9 and more. */
  readonly feature: Float32Array;
};
export type TaskName = keyof TaskResults;

/** A result, and which model made it; vectors of two models cannot be compared. */
export type Analysis = {
  readonly picture: PictureSize;
  /** Colours that the picture has, with labels. */
  readonly colours: readonly Label[];
  /** Where its colours are, with labels. */
  readonly layout?: Layout | undefined;
  readonly results: { readonly [T in TaskName]?: TaskResults[T] };
};

/** The installed model of a task. */
export type Capability = {
  /** Changes when a result of the old model is not comparable with the new one's. */
  readonly modelId: string;
  /** Length of the vectors; 0 for tasks without. */
  readonly dimension: number;
};

/** A line of speech; times from the beginning of the sound. */
export type TranscriptLine = {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  /** Mean probability of its words, 0 to 1. */
  readonly confidence: number;
};

export type TranscribedWindow = {
  /** As 'en'; undefined: unknown, or a model of one language. */
  readonly language: string | undefined;
  readonly lines: readonly TranscriptLine[];
  /** End of the transcribed range: the next window begins there, because a sentence was cut off. */
  readonly transcribedMs: number;
};

/**
 * A task that is missing here waits for `safelight models pull`. `sentences`: see embedSentences;
 * `speech`: see transcribe.
 */
export type Capabilities = { readonly [T in TaskName | 'sentences' | 'speech']?: Capability };

export type ImageOptions = { readonly signal?: AbortSignal | undefined };

/**
 * Models, run by a child process that starts with the first call and ends a minute after the last.
 * Calls may be made at once; they are worked off in turn. A call whose model is missing throws
 * ModelMissing; one that took the child down twice throws InferenceCrashed; neither ends us.
 */
export type Inference = {
  /** Every given task that is installed, from one decoding of the picture. */
  readonly analyze: (
    image: ImageSource,
    tasks: readonly TaskName[],
    options?: ImageOptions,
  ) => Promise<Analysis>;
  readonly detectFaces: (
    image: ImageSource,
    options?: ImageOptions,
  ) => Promise<readonly DetectedFace[]>;
  /** The vector of each place in the picture, in the order given: for boxes drawn by hand too. */
  readonly embedFaces: (
    image: ImageSource,
    faces: readonly { readonly box: Box; readonly landmarks?: Landmarks | undefined }[],
    options?: ImageOptions,
  ) => Promise<readonly Float32Array[]>;
  readonly embedImage: (image: ImageSource, options?: ImageOptions) => Promise<Float32Array>;
  readonly detectObjects: (
    image: ImageSource,
    options?: ImageOptions,
  ) => Promise<readonly DetectedObject[]>;
  readonly labelImage: (image: ImageSource, options?: ImageOptions) => Promise<readonly Label[]>;
  readonly imageFeature: (image: ImageSource, options?: ImageOptions) => Promise<Float32Array>;
  readonly readText: (image: ImageSource, options?: ImageOptions) => Promise<readonly TextLine[]>;
  /**
   * Embeds a query in the space of `embedding` or of a given semantic model; recent queries are
   * cached.
   */
  readonly embedQuery: (
    text: string,
    options?: ImageOptions & { readonly modelId?: string | undefined },
  ) => Promise<Float32Array>;
  /** Embeds texts for comparison among themselves; English works best. */
  readonly embedSentences: (
    texts: readonly string[],
    options?: ImageOptions,
  ) => Promise<readonly Float32Array[]>;
  /**
   * Transcribes at most 30 seconds of sound: one channel, 16,000 samples a second. `language`: the
   * one detected before, for uncertain cases.
   */
  readonly transcribe: (
    samples: Int16Array,
    options?: ImageOptions & { readonly language?: string | undefined },
  ) => Promise<TranscribedWindow>;
  /** Returns the provider the child runs on, and why not the others. */
  readonly probe: () => Promise<Providers>;
  /** Resident memory of the child in bytes; 0 while there is none. */
  readonly memory: () => number;
  readonly close: () => Promise<void>;
};

export type ProviderName = 'cuda' | 'webgpu' | 'cpu';
export type Providers = {
  readonly used: ProviderName;
  readonly tried: readonly { readonly name: ProviderName; readonly error: string | undefined }[];
};
