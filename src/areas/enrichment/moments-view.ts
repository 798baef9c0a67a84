import type { Video } from './video.store.ts';
import type { VideoFrameRow, VideoMomentRow } from '../../db/tables/videos.ts';
import { splitModels } from './frames/frame-models.ts';
import type { Moment, Moments, Source, Speech } from './schemas.ts';
import type { Enrichment } from './store.ts';

export type VideoView = {
  readonly video: Video;
  readonly enrichment: Enrichment | undefined;
  readonly frames: readonly VideoFrameRow[];
  readonly moments: readonly VideoMomentRow[];
  /** Installed models, joined; '' for none. */
  readonly models: string;
};

export function toMoments(view: VideoView, speech: Speech): Moments {
  const { video, enrichment, frames } = view;
  const coverMs = enrichment?.coverMs ?? null;
  const shown = coverMs === null ? frames[0] : findNearestFrame(frames, coverMs, coverMs);
  return {
    assetId: video.assetId,
    status: getStatus(view),
    durationMs: video.durationMs,
    frames: frames.map(({ id, atMs, rank, score, source }) => ({
      id,
      timeMs: atMs,
      rank,
      score,
      isOutdated: source !== video.revision,
    })),
    cover: { timeMs: coverMs, frameId: shown?.id ?? null },
    moments: view.moments.map((moment) => toMoment(moment, view)),
    source: enrichment ? toSource(enrichment.source, enrichment.models, enrichment) : null,
    isOutdated: enrichment?.source ? isOutdated(enrichment.source, enrichment.models, view) : false,
    speech,
  };
}

function getStatus({ video, enrichment }: VideoView): Moments['status'] {
  return video.isBroken ? 'failed' : (enrichment?.status ?? 'pending');
}

export function toMoment(moment: VideoMomentRow, view: VideoView): Moment {
  const { source, models, startMs, endMs, frameId } = moment;
  const isManual = moment.kind === 'manual';
  return {
    id: moment.id,
    assetId: moment.assetId,
    kind: moment.kind,
    startMs,
    endMs,
    title: moment.title,
    caption: isManual ? null : moment.caption,
    transcript: isManual ? moment.transcript : null,
    frameId: frameId ?? findNearestFrame(view.frames, startMs, endMs)?.id ?? null,
    source: isManual ? null : toSource(source, models ?? '', { generatedAt: moment.createdAt }),
    isOutdated: !isManual && isOutdated(source ?? '', models ?? '', view),
    createdAt: moment.createdAt.toISOString(),
    updatedAt: moment.updatedAt.toISOString(),
  };
}

/**
 * Returns whether the source has changed or other models are installed; none installed count as
 * unchanged.
 */
const isOutdated = (source: string, by: string, { video, models }: VideoView): boolean =>
  source !== video.revision || (by !== '' && models !== '' && by !== models);

function toSource(
  source: string | null,
  models: string,
  { generatedAt }: { readonly generatedAt: Date | null },
): Source | null {
  if (source === null || generatedAt === null) return null;
  return {
    sourceRevision: source,
    models: splitModels(models),
    generatedAt: generatedAt.toISOString(),
  };
}

/** Returns the frame in the time range or nearest to it. */
function findNearestFrame(
  frames: readonly VideoFrameRow[],
  startMs: number,
  endMs: number,
): VideoFrameRow | undefined {
  const away = ({ atMs }: VideoFrameRow) => Math.max(0, startMs - atMs, atMs - endMs);
  return frames.reduce<VideoFrameRow | undefined>(
    (best, frame) => (best && away(best) <= away(frame) ? best : frame),
    undefined,
  );
}
