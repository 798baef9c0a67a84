import type { InstalledModels } from './models/installed.ts';
import type { Machine } from './models/prepared.ts';
import type {
  Analysis,
  Box,
  DetectedFace,
  TranscribedWindow,
  ImageSource,
  Landmarks,
  ProviderName,
  Providers,
  TaskName,
} from './types.ts';

export type FacePlace = { readonly box: Box; readonly landmarks?: Landmarks | undefined };

/** Calls to the child. */
export type Call =
  | { readonly kind: 'analyze'; readonly image: ImageSource; readonly tasks: readonly TaskName[] }
  | { readonly kind: 'detectFaces'; readonly image: ImageSource }
  | {
      readonly kind: 'embedFaces';
      readonly image: ImageSource;
      readonly faces: readonly FacePlace[];
    }
  | {
      readonly kind: 'embedQuery';
      readonly text: string;
      /** An installed model; the best one unless it exists. */
      readonly modelId: string;
    }
  | { readonly kind: 'embedSentences'; readonly texts: readonly string[] }
  | {
      readonly kind: 'transcribe';
      readonly samples: Int16Array;
      readonly language: string | undefined;
    }
  | { readonly kind: 'probe' };

/** Results of the calls. */
export type CallResults = {
  readonly analyze: Analysis;
  readonly detectFaces: readonly DetectedFace[];
  readonly embedFaces: readonly Float32Array[];
  readonly embedQuery: Float32Array;
  readonly embedSentences: readonly Float32Array[];
  readonly transcribe: TranscribedWindow;
  readonly probe: Providers;
};

export type ChildOptions = {
  /** Folders of models and pictures: the only files that the child may read. */
  readonly folders: readonly string[];
  readonly models: InstalledModels;
  /** Files of models that could not be prepared: they are run as they were published. */
  readonly published: readonly string[];
  readonly threads: number;
  /** Families that run at once on a processor, each with its part of the threads. */
  readonly concurrency: number;
  /** Only one family of models is in memory at a time. */
  readonly isExclusive: boolean;
  /** In order of preference; cpu is the fallback. */
  readonly providers: readonly ProviderName[];
};

export type ToChild =
  | { readonly type: 'start'; readonly options: ChildOptions }
  | { readonly type: 'call'; readonly id: number; readonly call: Call };

export type FromChild =
  /** Sent before an attempt that may crash the process. */
  | { readonly type: 'trying'; readonly provider: ProviderName }
  | { readonly type: 'started'; readonly providers: Providers }
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly value: CallResults[Call['kind']];
      /** Resident memory in bytes. */
      readonly memory: number;
    }
  | {
      readonly type: 'failure';
      readonly id: number;
      readonly name: string;
      readonly message: string;
      readonly memory: number;
      /** The file to prepare before the call can be answered. */
      readonly unprepared?: { readonly path: string; readonly machine: Machine } | undefined;
    };
