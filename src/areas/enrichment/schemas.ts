import { t } from 'elysia';
import { ENRICHMENT_STATES, MOMENT_KINDS } from '../../db/tables/videos.ts';
import { stringEnum, Timestamp, Uuid, Uuid7 } from '../../http/schemas.ts';

const Milliseconds = t.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Title = t.Nullable(t.String({ maxLength: 255 }));
const Transcript = t.Nullable(t.String({ maxLength: 10_000 }));
const Score = t.Number({ minimum: 0, maximum: 1 });
const Kind = stringEnum(MOMENT_KINDS, { title: 'VideoMomentKind' });

export const FrameParams = t.Object({ id: Uuid7 });
export const SimilarQuery = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 24 })),
});
export const MomentParams = t.Object({ id: Uuid, momentId: Uuid7 });

const VideoEnrichmentSourceDto = t.Object(
  {
    sourceRevision: t.String(),
    models: t.Array(t.String()),
    generatedAt: Timestamp,
  },
  { title: 'VideoEnrichmentSourceDto' },
);
export type Source = typeof VideoEnrichmentSourceDto.static;

const VideoFrameDto = t.Object(
  {
    id: Uuid7,
    timeMs: Milliseconds,
    rank: t.Integer({ minimum: 1 }),
    score: Score,
    isOutdated: t.Boolean(),
  },
  { title: 'VideoFrameDto' },
);

const VideoCoverDto = t.Object(
  { timeMs: t.Nullable(t.Integer()), frameId: t.Nullable(Uuid7) },
  { title: 'VideoCoverDto' },
);

export const VideoMomentDto = t.Object(
  {
    id: Uuid7,
    assetId: Uuid,
    kind: Kind,
    startMs: Milliseconds,
    endMs: Milliseconds,
    title: Title,
    caption: t.Nullable(t.String()),
    transcript: Transcript,
    frameId: t.Nullable(Uuid7),
    source: t.Nullable(VideoEnrichmentSourceDto),
    isOutdated: t.Boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'VideoMomentDto' },
);
export type Moment = typeof VideoMomentDto.static;

const Status = stringEnum(ENRICHMENT_STATES, { title: 'VideoEnrichmentStatus' });

const VideoSpeechDto = t.Object(
  {
    status: Status,
    model: t.Nullable(t.String()),
    /** Most frequent language, as 'en'. */
    language: t.Nullable(t.String()),
    isOutdated: t.Boolean(),
    lines: t.Array(
      t.Object(
        {
          startMs: Milliseconds,
          endMs: Milliseconds,
          text: t.String(),
          language: t.Nullable(t.String()),
          confidence: Score,
        },
        { title: 'VideoSpeechLineDto' },
      ),
    ),
  },
  { title: 'VideoSpeechDto' },
);
export type Speech = typeof VideoSpeechDto.static;

export const VideoMomentsResponseDto = t.Object(
  {
    assetId: Uuid,
    status: Status,
    durationMs: t.Nullable(t.Integer()),
    frames: t.Array(VideoFrameDto),
    cover: VideoCoverDto,
    moments: t.Array(VideoMomentDto),
    source: t.Nullable(VideoEnrichmentSourceDto),
    isOutdated: t.Boolean(),
    /** Machine transcript; transcripts of moments are the owner's. */
    speech: VideoSpeechDto,
  },
  { title: 'VideoMomentsResponseDto' },
);
export type Moments = typeof VideoMomentsResponseDto.static;

export const VideoMomentCoverDto = t.Object(
  { timeMs: t.Nullable(Milliseconds) },
  { title: 'VideoMomentCoverDto' },
);

export const VideoMomentCreateDto = t.Object(
  {
    startMs: Milliseconds,
    endMs: t.Optional(Milliseconds),
    title: t.Optional(Title),
    transcript: t.Optional(Transcript),
  },
  { title: 'VideoMomentCreateDto' },
);
export type MomentCreate = typeof VideoMomentCreateDto.static;

export const VideoMomentUpdateDto = t.Object(
  {
    startMs: t.Optional(Milliseconds),
    endMs: t.Optional(Milliseconds),
    title: t.Optional(Title),
    transcript: t.Optional(Transcript),
  },
  { title: 'VideoMomentUpdateDto' },
);
export type MomentUpdate = typeof VideoMomentUpdateDto.static;

export const VideoMomentSearchDto = t.Object(
  {
    query: t.String({ minLength: 1, maxLength: 500 }),
    assetIds: t.Optional(t.Array(Uuid, { maxItems: 1000 })),
    kinds: t.Optional(t.Array(Kind)),
    page: t.Optional(t.Integer({ minimum: 1, maximum: 1000, default: 1 })),
    size: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 24 })),
  },
  { title: 'VideoMomentSearchDto' },
);
export type MomentSearch = typeof VideoMomentSearchDto.static;

const VideoMomentMatchDto = t.Object(
  {
    assetId: Uuid,
    momentId: t.Nullable(Uuid7),
    frameId: t.Nullable(Uuid7),
    timeMs: Milliseconds,
    title: t.Nullable(t.String()),
    caption: t.Nullable(t.String()),
    /** Matched transcript. */
    transcript: t.Nullable(t.String()),
    score: Score,
    matchedBy: t.Array(
      stringEnum(['meaning', 'caption', 'transcript', 'similarity'], { title: 'VideoMomentMatch' }),
    ),
  },
  { title: 'VideoMomentMatchDto' },
);
export type MomentMatch = typeof VideoMomentMatchDto.static;

export const VideoMomentSearchResponseDto = t.Object(
  { items: t.Array(VideoMomentMatchDto), nextPage: t.Nullable(t.Integer()) },
  { title: 'VideoMomentSearchResponseDto' },
);
export type MomentMatches = typeof VideoMomentSearchResponseDto.static;
