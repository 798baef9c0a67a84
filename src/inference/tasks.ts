import type { Db } from '../db/client.ts';
import type { AfterCommit, QueueName } from '../jobs/define.ts';
import type { Capability, PictureSize, TaskName, TaskResults } from './types.ts';

/** The analyzed asset. */
export type AnalyzedAsset = {
  readonly assetId: string;
  readonly ownerId: string;
  /** Of a video the picture is its poster. */
  readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER';
  /** Of the stored preview, in pixels. */
  readonly picture: PictureSize;
};

/**
 * Where the results of a task go. An area makes one and names it in workers/inference.ts; a task may
 * have several. `store` runs in the transaction that completes the job and replaces what an earlier
 * run has left; what the owner has corrected is the area's to keep.
 */
export type Sink<T extends TaskName = TaskName> = {
  readonly task: T;
  readonly store: (
    db: Db,
    asset: AnalyzedAsset,
    result: TaskResults[T],
    model: Capability,
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
  'text',
  'feature',
];

export type InferenceQueue = (typeof TASK_QUEUES)[TaskName];

export const listQueueTasks = (queue: InferenceQueue): readonly TaskName[] =>
  (Object.keys(TASK_QUEUES) as TaskName[]).filter((task) => TASK_QUEUES[task] === queue);
