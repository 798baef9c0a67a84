import { bigint, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { WireRational } from '../../core/rational.ts';
import { instant } from './columns.ts';

export const QUALITIES = ['draft', 'standard', 'full'] as const;
export const STREAM_STATES = [
  'starting',
  'waiting',
  'answered',
  'connected',
  'interrupted',
  'closed',
] as const;
export const STREAM_CLOSE_REASONS = [
  'deleted',
  'superseded',
  'revision-superseded',
  'access-lost',
  'source-unavailable',
  'worker-lost',
  'keepalive-expired',
  'negotiation-failed',
  'error',
] as const;
/** Music that the server composes (areas/studio/sound/music.ts). */
export const MUSIC_TRACKS = ['calm', 'gentle', 'bright'] as const;
export type MusicTrack = (typeof MUSIC_TRACKS)[number];
export const RENDER_STATES = ['queued', 'rendering', 'ready', 'failed', 'cancelled'] as const;

/** A part of an asset for a while, in seconds of the film. */
type StudioPart = {
  readonly assetId: string;
  readonly start: WireRational;
  readonly duration: WireRational;
  /** Start in the source; ignored for pictures. */
  readonly sourceIn: WireRational;
  /** Seconds of the source in a second of the film; 1 by default. */
  readonly speed?: WireRational;
  /** Times in which it comes and goes, picture and sound; none by default. */
  readonly fadeIn?: WireRational;
  readonly fadeOut?: WireRational;
  /** Factor of the sound; 1 by default. */
  readonly volume?: number;
};

/** The crop of a picture: edges from 0 to 1. */
export type StudioCrop = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A picture or a video on a track. Lengths are parts of the canvas, its middle is 0. */
export type StudioClip = StudioPart & {
  /**
   * Clips of a higher track lie above, and of those of one track the later: it may overlap the one before while
   * it fades in.
   */
  readonly track: number;
  /** 'contain' by default. */
  readonly fit?: 'contain' | 'cover';
  /** Whether the picture of a video is shown in its place, without its sound; false by default. */
  readonly still?: boolean;
  /** Part of the source that is shown. */
  readonly crop?: StudioCrop;
  /** Part that is shown at the end, of the same shape: the crop moves there. */
  readonly cropTo?: StudioCrop;
  /** How it moves: evenly by default, or 'smooth', slower where it begins and ends. */
  readonly easing?: 'smooth';
  /**
   * The ground of a source whose shape is not that of the canvas: none by default, or 'blur', the source itself,
   * blurred and darker. The crop is then a part of both together.
   */
  readonly surround?: 'blur';
  readonly scale?: number;
  readonly x?: number;
  readonly y?: number;
  /** Degrees, clockwise. */
  readonly rotation?: number;
  /** 0 to 1. */
  readonly opacity?: number;
  /** Standard deviation of a Gaussian blur by the height of the canvas; 0 by default. */
  readonly blur?: number;
  /** Factor of the light; 1 by default. */
  readonly brightness?: number;
};

/** The sound of a video alone, like music below a film. It ends with the last clip or title. */
export type StudioSound = StudioPart;

export type StudioMusic = {
  readonly track: MusicTrack;
  /** Factor of the sound; 1 by default. */
  readonly volume?: number;
};

/**
 * A text above all clips. Its middle, or the middle of its left edge, lies at `x`, `y`: parts of the canvas from
 * its upper left.
 */
export type StudioTitle = {
  readonly text: string;
  readonly start: WireRational;
  readonly duration: WireRational;
  readonly x: number;
  readonly y: number;
  /** Height of the letters by that of the canvas. */
  readonly size: number;
  /** '#rrggbb'; white by default. */
  readonly color?: string;
  /** 'center' by default. */
  readonly align?: 'center' | 'left';
  /** Whether the letters have a dark edge, to be read on any picture; false by default. */
  readonly outline?: boolean;
  /** Times in which it comes and goes; none by default. */
  readonly fadeIn?: WireRational;
  readonly fadeOut?: WireRational;
};

/** A revision of a project: its canvas in pixels, and when something lies on it. */
export type StudioDocument = {
  readonly width: number;
  readonly height: number;
  /** Frames in a second. */
  readonly frameRate: WireRational;
  /** '#rrggbb'; black by default. */
  readonly background?: string;
  readonly clips: readonly StudioClip[];
  readonly titles?: readonly StudioTitle[];
  readonly sounds?: readonly StudioSound[];
  /** Played from the start to the end below all other sounds; none by default. */
  readonly music?: StudioMusic;
};

export const studioProjects = pgTable('studio_project', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  albumId: uuid('album_id'),
  name: text().notNull(),
  headRevision: integer('head_revision').notNull().default(1),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});
export type StudioProjectRow = typeof studioProjects.$inferSelect;

export const studioRevisions = pgTable(
  'studio_revision',
  {
    projectId: uuid('project_id').notNull(),
    revision: integer().notNull(),
    document: jsonb().$type<StudioDocument>().notNull(),
    createdAt: instant('created_at').notNull(),
    createdBy: uuid('created_by'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.revision] })],
);
export type StudioRevisionRow = typeof studioRevisions.$inferSelect;

export const studioRenders = pgTable('studio_render', {
  id: uuid().primaryKey(),
  projectId: uuid('project_id').notNull(),
  revision: integer().notNull(),
  numerator: bigint({ mode: 'number' }).notNull(),
  denominator: bigint({ mode: 'number' }).notNull(),
  quality: text({ enum: QUALITIES }).notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  renderKey: text('render_key').notNull(),
  accountId: uuid('account_id').notNull(),
  state: text({ enum: RENDER_STATES }).notNull(),
  error: text(),
  createdAt: instant('created_at').notNull(),
  readyAt: instant('ready_at'),
  releasedAt: instant('released_at'),
  sourceCount: integer('source_count').notNull(),
});
export type StudioRenderRow = typeof studioRenders.$inferSelect;

export const studioPreviews = pgTable('studio_preview', {
  id: uuid().primaryKey(),
  renderId: uuid('render_id').notNull(),
  accountId: uuid('account_id').notNull(),
  consumerRequestId: uuid('consumer_request_id'),
  operationId: uuid('operation_id'),
  createdAt: instant('created_at').notNull(),
  retiredAt: instant('retired_at'),
});
export type StudioPreviewRow = typeof studioPreviews.$inferSelect;

export const studioStreams = pgTable('studio_stream', {
  id: uuid().primaryKey(),
  projectId: uuid('project_id').notNull(),
  revision: integer().notNull(),
  accountId: uuid('account_id').notNull(),
  sessionId: uuid('session_id'),
  apiKeyId: uuid('api_key_id'),
  nodeId: uuid('node_id'),
  maxBitrateKbps: integer('max_bitrate_kbps').notNull(),
  state: text({ enum: STREAM_STATES }).notNull().default('starting'),
  negotiation: integer().notNull().default(1),
  offer: text(),
  closeReason: text('close_reason', { enum: STREAM_CLOSE_REASONS }),
  createdAt: instant('created_at').notNull(),
  polledAt: instant('polled_at').notNull(),
  closedAt: instant('closed_at'),
});
export type StudioStreamRow = typeof studioStreams.$inferSelect;
export type StreamCloseReason = (typeof STREAM_CLOSE_REASONS)[number];
