import { textSink } from '../../src/areas/documents/sink.ts';
import { duplicateSink } from '../../src/areas/duplicates/sink.ts';
import { handleDescribeFrames } from '../../src/areas/enrichment/frames/describe.handlers.ts';
import { handleTranscribe } from '../../src/areas/enrichment/transcript/transcript.handlers.ts';
import { handleEmbedFace } from '../../src/areas/faces/embed.handlers.ts';
import { facesSink } from '../../src/areas/faces/sink.ts';
import { petsSink } from '../../src/areas/pets/sink.ts';
import { objectLabelSink, sceneSink, tagLabelSink } from '../../src/areas/search/labels/sink.ts';
import { readRecognition } from '../../src/areas/system-config/index.ts';
import { wakeRuns } from '../../src/areas/workflow-events/index.ts';
import { closeInference } from '../../src/inference/client.ts';
import { embeddingSink, featureSink } from '../../src/inference/embeddings.sink.ts';
import { analysisHandlers } from '../../src/inference/handlers.ts';
import { createLane } from './lane.ts';

/** Sinks of the analysis results; a new task also goes into STORED_TASKS. */
const SINKS = [
  facesSink,
  embeddingSink,
  petsSink,
  objectLabelSink,
  tagLabelSink,
  sceneSink,
  textSink,
  featureSink,
  duplicateSink,
];

export const inference = createLane(
  'inference',
  {
    ...analysisHandlers(SINKS, { readRecognition, onAnalyzed: wakeRuns }),
    'faces.embed': handleEmbedFace,
    'enrichment.describeFrames': handleDescribeFrames,
    'enrichment.transcribe': handleTranscribe,
  },
  [closeInference],
);
