// Everything that areas use of inference.
//
// - Results of the analysis of every asset come by a sink: `defineSink({ task, store })`, named in
//   workers/inference.ts.
// - A route asks `inferenceOf(settings)` for single answers (`embedQuery`), `vectorsOf(deps)` for the
//   nearest vectors, and `capabilitiesOf(settings)` for what is installed.

export { capabilitiesOf, meaningModelsOf } from './capabilities.ts';
export { inferenceOf } from './client.ts';
export { analyzeAsset, findFaces, measureLikeness, readText, understandAsset } from './jobs.ts';
export { InferenceCrashed, ModelMissing, PictureUnreadable } from './errors.ts';
export {
  type AnalyzedAsset,
  type AnySink,
  defineSink,
  type InferenceQueue,
  KEPT_TASKS,
  QUEUE_OF_TASK,
  type Sink,
  tasksOfQueue,
} from './tasks.ts';
export type * from './types.ts';
export {
  deleteEmbeddings,
  fromFloat16,
  readEmbeddings,
  saveEmbeddings,
  toFloat16,
} from './vectors/store.ts';
export type * from './vectors/types.ts';
export { SAMPLE_RATE, WINDOW_SAMPLES } from './run/speech/mel.ts';
export { findVoice } from './run/speech/voice.ts';
export { vectorsOf } from './vectors/vectors.ts';
