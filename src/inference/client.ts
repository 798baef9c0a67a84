import type { Settings } from '../core/settings.ts';
import type { Inference } from './types.ts';

/** The inference of this thread: one child, shared by all its callers. */
export function inferenceOf(_settings: Settings): Inference {
  throw new Error('not built yet');
}
