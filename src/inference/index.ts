// Everything that areas use of inference.
//
// - Results of the analysis of every asset come by a sink: `defineSink({ task, store })`, named in
//   workers/inference.ts.
// - A route asks `inferenceOf(settings)` for single answers (`embedQuery`), `vectorsOf(deps)` for the
//   nearest vectors, and `capabilitiesOf(settings)` for what is installed.

export { getCapabilities, listSemanticModels } from './capabilities.ts';
export { getInference } from './client.ts';
export { analyzeAsset, detectFaces, computeFeature, readText, embedAsset } from './jobs.ts';
export { InferenceCrashed, ModelMissing, PictureUnreadable } from './errors.ts';
export {
  type AnalyzedAsset,
  type AnySink,
  defineSink,
  type InferenceQueue,
  STORED_TASKS,
  TASK_QUEUES,
  type Sink,
  listQueueTasks,
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
export { detectVoice } from './run/speech/voice.ts';
export { getVectorIndex } from './vectors/vectors.ts';
