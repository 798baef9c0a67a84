// The public interface of inference for areas. Results of the analysis of assets arrive at sinks
// (`defineSink`, registered in workers/lanes/inference.ts). Single results come from `getInference(ctx)`,
// nearest neighbours from `getVectorIndex(ctx)`, installed models from `getCapabilities(settings)`.

export {
  findCutOff,
  getCapabilities,
  getSearchChoice,
  listSemanticModels,
} from './capabilities.ts';
export { getInference } from './client.ts';
export { analyzeAsset, detectFaces, computeFeature, readText, embedAsset } from './jobs.ts';
export { InferenceCrashed, ModelMissing, PictureUnreadable } from './errors.ts';
export {
  type AnalyzedAsset,
  DEFAULT_THRESHOLDS,
  defineSink,
  type InferenceQueue,
  listQueueTasks,
  STORED_TASKS,
  type Thresholds,
} from './tasks.ts';
export { LAYOUT_SIDE } from './types.ts';
export type * from './types.ts';
export { addScaled, dot, normalize } from './vectors/arithmetic.ts';
export {
  deleteEmbeddings,
  fromFloat16,
  readEmbeddings,
  saveEmbeddings,
  toFloat16,
} from './vectors/store.ts';
export type * from './vectors/types.ts';
export { CONSE } from './models/semantic-models.ts';
export { computeIou } from './run/boxes.ts';
export { SAMPLE_RATE, WINDOW_SAMPLES } from './run/speech/mel.ts';
export { detectVoice } from './run/speech/voice.ts';
export { getVectorIndex } from './vectors/vectors.ts';
