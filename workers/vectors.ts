import { serveVectors } from '../src/inference/vectors/thread.ts';

declare const self: Worker;

serveVectors(self);
