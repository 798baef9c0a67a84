import { type Static, Type } from 'typebox';
import { defineOperation, type Operation } from '../../operations/define.ts';
import { pullSet } from './jobs.ts';

const Count = Type.Integer({ minimum: 0 });
const Payload = Type.Object({ set: Type.String() });
const Progress = Type.Object({
  /** Files that are complete, those that had been there before among them. */
  files: Count,
  /** The one that is being downloaded: 'clip/NAME/visual/model.onnx'. */
  file: Type.Union([Type.String(), Type.Null()]),
  /** Bytes of it. */
  bytes: Count,
  /** Null: the server does not tell it. */
  totalBytes: Type.Union([Count, Type.Null()]),
});

/** Downloads of sets of models. */
export const pullKind = defineOperation({
  name: 'models-pull',
  job: pullSet,
  payload: Payload,
  progress: Progress,
  start: { files: 0, file: null, bytes: 0, totalBytes: null },
});

export type PullProgress = Static<typeof Progress>;
export type PullOperation = Operation<Static<typeof Payload>, PullProgress>;
