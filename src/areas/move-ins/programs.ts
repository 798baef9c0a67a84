import type { Program } from '../imports/index.ts';

/** Programs whose folders an import recognizes. */
export const PROGRAMS = [
  'takeout',
  'icloud',
  'photoprism',
  'immich',
  'other',
] as const satisfies readonly Program[];
