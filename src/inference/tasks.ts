import type { Db } from '../db/client.ts';
import type { AfterCommit, QueueName } from '../jobs/define.ts';
import type { Analysis, Capability, PictureSize, TaskName, TaskResults } from './types.ts';

/** The analyzed asset. */
export type AnalyzedAsset = {
  readonly assetId: string;
  readonly ownerId: string;
  /** The picture of a video is its poster. */
  readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER';
  /** Size of the stored preview in pixels. */
  readonly picture: PictureSize;
  /** Colours of the picture, where it was labelled. */
  readonly colours?: Analysis['colours'];
  /** Where they are. */
  readonly layout?: Analysis['layout'];
  /** Objects that were found, and text that was read at the same time. */
  readonly objects?: TaskResults['objects'] | undefined;
  readonly text?: TaskResults['text'] | undefined;
};

/** Scores below which results are dropped, 0 to 1. Below those of the detectors they have no effect. */
export type Thresholds = {
  readonly face: number;
  readonly text: number;
  readonly textBox: number;
};

/** Detections of faces below theirs are often no faces; letters below theirs are mostly guessed. */
export const DEFAULT_THRESHOLDS: Thresholds = { face: 0.7, text: 0.5, textBox: 0 };

/** The part of the configuration that is about recognition. */
export type RecognitionConfig = {
  /** Queues that administrators have switched off. */
  readonly disabled: ReadonlySet<string>;
  readonly thresholds: Thresholds;
};

/**
 * Receives the results of a task. An area defines one and registers it in workers/lanes/inference.ts; a
 * task may have several. `store` runs in the transaction that completes the job and replaces
 * earlier results; it keeps what the owner has corrected.
 */
export type Sink<T extends TaskName = TaskName> = {
  readonly task: T;
  readonly store: (
    db: Db,
    asset: AnalyzedAsset,
    result: TaskResults[T],
    model: Capability,
    thresholds?: Thresholds,
  ) => Promise<void | AfterCommit>;
};

export const defineSink = <T extends TaskName>(sink: Sink<T>): Sink<T> => sink;

/** A sink of any task; it receives only results of its own task. */
export type AnySink = { [T in TaskName]: Sink<T> }[TaskName];

/** The queue of the public contract by which a task is shown, paused and started again. */
export const TASK_QUEUES = {
  faces: 'faceDetection',
  embedding: 'smartSearch',
  objects: 'smartSearch',
  labels: 'smartSearch',
  text: 'ocr',
  feature: 'duplicateDetection',
} as const satisfies Record<TaskName, QueueName>;

/** Tasks with a sink: only these are run. A task that a new version adds is due for every asset. */
export const STORED_TASKS: readonly TaskName[] = [
  'faces',
  'embedding',
  'objects',
  'labels',
  'text',
  'feature',
];

export type InferenceQueue = (typeof TASK_QUEUES)[TaskName];

export const listQueueTasks = (queue: InferenceQueue): readonly TaskName[] =>
  (Object.keys(TASK_QUEUES) as TaskName[]).filter((task) => TASK_QUEUES[task] === queue);
