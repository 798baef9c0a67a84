import { closeInference } from '../src/inference/client.ts';
import { embeddingSink, featureSink } from '../src/inference/embeddings.sink.ts';
import { analysisHandlers } from '../src/inference/handlers.ts';
import { serveLane } from './serve.ts';

/** Who keeps what the models find. A new one goes into KEPT_TASKS too. */
const SINKS = [embeddingSink, featureSink];

serveLane('inference', analysisHandlers(SINKS), closeInference);
