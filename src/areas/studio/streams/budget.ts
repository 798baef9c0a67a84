import type { Deps } from '../../../core/context.ts';
import { countCores } from '../../../core/setting-table.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { countRunning } from './supervisor.ts';

// Previews of films and transcodes of videos are made while somebody watches: they share the processor.

const STREAMS_PER_CORE = 2;

/** Returns the most previews and transcodes together. */
export const getMostWatched = (): number => countCores() * STREAMS_PER_CORE;

/** The videos that this process transcodes while they are watched. */
export const getTranscodes = perDatabase(() => new Set<object>());

/** Returns whether the previews that are shown leave the processor to another transcode. */
export const hasRoomForTranscode = ({ sql }: Pick<Deps, 'sql'>): boolean =>
  countRunning({ sql }) + getTranscodes(sql).size < getMostWatched();
