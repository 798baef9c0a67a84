import {
  ENCODER_OUTPUT,
  isDecoderOutput,
  MIN_OBJECT_SCORE,
  type Recipe,
} from '../models/prepared.ts';
import { describe } from '../onnx/describe.ts';
import { memorySource } from '../onnx/protobuf.ts';
import { quantizeKnown } from './activation-ranges.ts';
import { keepBlockedLayout } from './blocked-layout.ts';
import { keepCandidates } from './candidates.ts';
import { keepChannelsFirst } from './channels-first.ts';
import { type Rewrite, rewriteModel } from './editable-graph.ts';
import { keepOutputs } from './outputs.ts';

/** Returns the model as it is run; the same where nothing is rewritten. Throws on what is no model. */
export const RECIPES: Readonly<Record<Recipe, (model: Uint8Array) => Uint8Array>> = {
  objects: (model) => rewriteModel(model, rewriteDetector),
  'objects-integers': (model) => quantize(model, rewriteDetector),
  'text-blocked': (model) => rewriteModel(model, keepBlockedLayout),
  'text-integers': (model) => quantize(model, keepBlockedLayout),
  'speech-encoder': (model) => keepWanted(model, (name) => name === ENCODER_OUTPUT),
  'speech-decoder': (model) => keepWanted(model, isDecoderOutput),
};

const rewriteDetector: Rewrite = (graph) => {
  keepChannelsFirst(graph);
  return keepCandidates(graph, MIN_OBJECT_SCORE);
};

const quantize = (model: Uint8Array, rewrite: Rewrite): Uint8Array =>
  quantizeKnown(model, rewrite) ?? rewriteModel(model, rewrite);

function keepWanted(model: Uint8Array, isWanted: (name: string) => boolean): Uint8Array {
  const all = describe(memorySource(model)).outputs.map(({ name }) => name);
  const names = all.filter(isWanted);
  return names.length === 0 || names.length === all.length ? model : keepOutputs(model, names);
}
