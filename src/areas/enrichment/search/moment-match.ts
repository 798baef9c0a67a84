import type { MomentMatch } from '../schemas.ts';
import type { MatchRow } from './search.store.ts';

/** Longest result list; results further down are irrelevant. */
export const MAX_MATCHES = 1000;

export const toMatch = (
  row: MatchRow,
  score: number,
  matchedBy: MomentMatch['matchedBy'],
): MomentMatch => ({
  assetId: row.assetId,
  momentId: row.momentId,
  frameId: row.frameId,
  timeMs: row.timeMs,
  title: row.title,
  caption: row.caption,
  transcript: row.transcript,
  score: Math.min(1, Math.max(0, score)),
  matchedBy,
});
