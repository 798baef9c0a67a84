import { formatDuration } from '../../base/format.ts';
import type { Moment, Moments } from '../../data/moments/moment-data.ts';

/** One picture of the strip: a moment, or a frame that no moment is about. */
export type Entry = {
  readonly key: string;
  /** Where a click leads: what the picture shows, or what the owner marked. */
  readonly timeMs: number;
  readonly frameId: string | null;
  readonly text: string;
  /** Made by hand: it can be renamed and removed. */
  readonly manual: Moment | undefined;
  readonly isOutdated: boolean;
};

/** In the order of the film. */
export function toEntries({ frames, moments }: Moments): Entry[] {
  const framesById = new Map(frames.map((frame) => [frame.id, frame]));
  const shown = new Set(
    moments.flatMap(({ kind, frameId }) => (kind === 'generated' && frameId ? [frameId] : [])),
  );
  const ofMoments = moments.map((moment): Entry => {
    const isManual = moment.kind === 'manual';
    const frame = moment.frameId ? framesById.get(moment.frameId) : undefined;
    return {
      key: moment.id,
      timeMs: isManual ? moment.startMs : (frame?.timeMs ?? moment.startMs),
      frameId: moment.frameId,
      text: moment.title ?? moment.caption ?? '',
      manual: isManual ? moment : undefined,
      isOutdated: moment.isOutdated,
    };
  });
  const ofFrames = frames
    .filter(({ id }) => !shown.has(id))
    .map(({ id, timeMs, isOutdated }): Entry => ({
      key: id,
      timeMs,
      frameId: id,
      text: '',
      manual: undefined,
      isOutdated,
    }));
  return [...ofMoments, ...ofFrames].sort(
    (a, b) => a.timeMs - b.timeMs || (a.key < b.key ? -1 : 1),
  );
}

/** As a player's clock has it: a second is shown once it has begun. */
export const formatClock = (ms: number): string => formatDuration(Math.floor(ms / 1000) * 1000);

/** Players come to rest a little beside where they were sent. */
const TOLERANCE_MS = 120;

/** The last one that has begun: by hand or not, whichever was pressed where two begin together. */
export function findCurrent(
  entries: readonly Entry[],
  timeMs: number,
  pressed: string | undefined,
): Entry | undefined {
  const begun = entries.filter((entry) => entry.timeMs <= timeMs + TOLERANCE_MS);
  const last = begun.at(-1);
  const same = begun.find(({ key, timeMs: at }) => key === pressed && at === last?.timeMs);
  return same ?? last;
}

/** The picture that is nearest to a time. */
export function findNearestFrame({ frames }: Moments, timeMs: number): string | undefined {
  let best: { id: string; away: number } | undefined;
  for (const frame of frames) {
    const away = Math.abs(frame.timeMs - timeMs);
    if (!best || away < best.away) best = { id: frame.id, away };
  }
  return best?.id;
}
