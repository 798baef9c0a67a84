import { t } from 'elysia';
import { QUALITIES, STREAM_CLOSE_REASONS, STREAM_STATES } from '../../../db/tables/studio.ts';
import { stringEnum, Timestamp, Uuid, Uuid7 } from '../../../http/schemas.ts';
import { StudioViewportDto } from '../previews/schemas.ts';
import { RationalTimeDto } from '../projects/schemas.ts';

const { Nullable } = t;

export const StudioPreviewStreamOpenDto = t.Object(
  {
    projectId: Uuid,
    revision: t.Integer({ minimum: 1 }),
    /** Where it begins; at the start by default. */
    time: t.Optional(RationalTimeDto),
    quality: t.Optional(
      stringEnum(QUALITIES, { title: 'StudioPreviewQuality', default: 'standard' }),
    ),
    viewport: StudioViewportDto,
  },
  { title: 'StudioPreviewStreamOpenDto' },
);
export type StreamOpen = typeof StudioPreviewStreamOpenDto.static;

export const StudioPreviewStreamAnswerDto = t.Object(
  {
    type: t.Literal('answer'),
    /** Complete, with one video that is only received. */
    sdp: t.String({ minLength: 1, maxLength: 65_536 }),
    /** The one that is answered; the current one by default. */
    negotiation: t.Optional(t.Integer({ minimum: 1 })),
  },
  { title: 'StudioPreviewStreamAnswerDto' },
);
export type StreamAnswer = typeof StudioPreviewStreamAnswerDto.static;

export const StudioPreviewStreamPositionDto = t.Object(
  {
    time: RationalTimeDto,
    /** Whether the film goes on from there; otherwise it stands still. */
    isPlaying: t.Boolean(),
  },
  { title: 'StudioPreviewStreamPositionDto', additionalProperties: false },
);
export type StreamPosition = typeof StudioPreviewStreamPositionDto.static;

const StudioStreamOfferDto = t.Object(
  { type: t.Literal('offer'), sdp: t.String() },
  { title: 'StudioStreamOfferDto' },
);

export const StudioPreviewStreamDto = t.Object(
  {
    id: Uuid7,
    projectId: Uuid,
    revision: t.Integer({ minimum: 1 }),
    state: stringEnum(STREAM_STATES, { title: 'StudioStreamState' }),
    /** From 1; each reconnection is the next one. */
    negotiation: t.Integer({ minimum: 1 }),
    /** Only while it is waited for an answer. */
    offer: Nullable(StudioStreamOfferDto),
    maxBitrateKbps: t.Integer({ minimum: 1 }),
    /** A stream that is not asked for in this time is closed. */
    keepAliveSeconds: t.Integer(),
    closeReason: Nullable(stringEnum(STREAM_CLOSE_REASONS, { title: 'StudioStreamCloseReason' })),
    createdAt: Timestamp,
    closedAt: Nullable(Timestamp),
  },
  { title: 'StudioPreviewStreamDto' },
);
export type StudioStream = typeof StudioPreviewStreamDto.static;

export const StreamParams = t.Object({ id: Uuid7 });
