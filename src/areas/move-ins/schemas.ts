import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import type { ImmichFault } from '../imports/index.ts';
import { PROGRAMS } from './programs.ts';

const MOVE_IN_STATUSES = [
  'waiting',
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type MoveInStatus = (typeof MOVE_IN_STATUSES)[number];

/** Why a folder cannot be taken in. */
export type FolderFault =
  'folder_missing' | 'folder_denied' | 'folder_refused' | 'archives_missing';

/** Why a move is paused or has failed. */
const MOVE_IN_REASONS = [
  'address_invalid',
  'address_refused',
  'certificate_invalid',
  'unreachable',
  'timeout',
  'key_refused',
  'permission_missing',
  'redirected',
  'not_immich',
  'answer_too_large',
  'quota_exceeded',
  'storage_full',
  'folder_missing',
  'folder_denied',
  'folder_refused',
  'archives_missing',
  'account_missing',
  'interrupted',
  'failed',
] as const satisfies readonly (
  | ImmichFault
  | FolderFault
  | 'quota_exceeded'
  | 'storage_full'
  | 'account_missing'
  | 'interrupted'
  | 'failed'
)[];
export type MoveInReason = (typeof MOVE_IN_REASONS)[number];

const Count = t.Integer({ minimum: 0 });
const Moment = t.Nullable(Timestamp);
/** API keys are words; Immich's have 43 letters. */
const Key = t.String({ pattern: String.raw`^[\w-]{1,200}$` });

export const MoveInCreateDto = t.Object(
  {
    /** Address of the other server, as http://nas:2283. */
    url: t.String({ minLength: 1, maxLength: 2000 }),
    /** API key of the account there. It is kept in memory only. */
    key: Key,
  },
  { title: 'MoveInCreateDto' },
);

export const MoveInFolderDto = t.Object(
  {
    /** Absolute path on the machine of this server. */
    path: t.String({ minLength: 1, maxLength: 4096 }),
    /** The account whose library gets the files: by default the own one. */
    ownerId: t.Optional(Uuid),
    /** A folder that no export describes becomes an album of its name. */
    albumsFromFolders: t.Optional(t.Boolean({ default: false })),
    /** The names of people in an export become tags, such as People/Ada. */
    peopleAsTags: t.Optional(t.Boolean({ default: false })),
    /** Dates of an export count more than those of files that tell another day, as scans do. */
    trustExportDates: t.Optional(t.Boolean({ default: false })),
  },
  { title: 'MoveInFolderDto' },
);

/** Files of one choice; an export of a terabyte has 500 parts of 2 GB. */
const MAX_ARCHIVES = 1000;

export const MoveInArchivesDto = t.Object(
  {
    /** ZIP files, whose bytes come later. */
    archives: t.Array(
      t.Object(
        {
          name: t.String({ minLength: 1, maxLength: 255 }),
          size: t.Integer({ minimum: 1, maximum: 2 ** 42 }),
        },
        { title: 'MoveInArchiveDto' },
      ),
      { minItems: 1, maxItems: MAX_ARCHIVES },
    ),
    /** As those of a folder. */
    albumsFromFolders: t.Optional(t.Boolean({ default: false })),
    peopleAsTags: t.Optional(t.Boolean({ default: false })),
    trustExportDates: t.Optional(t.Boolean({ default: false })),
  },
  { title: 'MoveInArchivesDto' },
);

export const MoveInArchiveParams = t.Object({
  id: Uuid,
  /** Position of the archive in the move. */
  index: t.Integer({ minimum: 0, maximum: MAX_ARCHIVES }),
});

export const MoveInStartDto = t.Object({ key: t.Optional(Key) }, { title: 'MoveInStartDto' });

export const MoveInFailuresQuery = t.Object({
  /** Position of the last one of the page before. */
  after: t.Optional(t.Integer({ minimum: 0, maximum: 1_000_000 })),
  size: t.Integer({ minimum: 1, maximum: 500, default: 100 }),
});

export const MoveInFailurePageDto = t.Object(
  {
    failures: t.Array(
      t.Object(
        { position: Count, name: t.String(), reason: t.String() },
        { title: 'MoveInFailureDto' },
      ),
    ),
    hasNextPage: t.Boolean(),
  },
  { title: 'MoveInFailurePageDto' },
);
export type MoveInFailurePage = typeof MoveInFailurePageDto.static;

export const MoveInDto = t.Object(
  {
    id: Uuid,
    /** Address of the other server; null for a folder, and for archives. */
    url: t.Nullable(t.String()),
    /** Path of the folder; null for another server, and for archives. */
    path: t.Nullable(t.String()),
    archives: t.Nullable(
      t.Object(
        {
          /** Their bytes come, they are unpacked, and then taken in. */
          phase: stringEnum(['upload', 'unpack', 'import'], { title: 'MoveInArchivesPhase' }),
          parts: t.Array(
            t.Object(
              {
                name: t.String(),
                size: Count,
                /** Bytes that are there: the upload continues behind them. */
                received: Count,
              },
              { title: 'MoveInArchivePartDto' },
            ),
          ),
          /** How much is unpacked, from 0 to 1. */
          unpacked: t.Number({ minimum: 0, maximum: 1 }),
        },
        { title: 'MoveInArchivesStateDto' },
      ),
    ),
    /** Program whose folder it is. */
    program: t.Nullable(stringEnum(PROGRAMS, { title: 'MoveInProgram' })),
    /** The account whose library gets the files. */
    ownerId: Uuid,
    status: stringEnum(MOVE_IN_STATUSES, { title: 'MoveInStatus' }),
    reason: t.Nullable(stringEnum(MOVE_IN_REASONS, { title: 'MoveInReason' })),
    /** Whether the key must be given to start or continue: this server does not have it in memory. */
    needsKey: t.Boolean(),
    found: t.Object(
      {
        photos: Count,
        videos: Count,
        albums: Count,
        tags: Count,
        /** Null where the key may not read them. */
        people: t.Nullable(Count),
        /** Null where the other server does not tell it. */
        bytes: t.Nullable(Count),
      },
      { title: 'MoveInFoundDto' },
    ),
    /** Whether what was found has room; null where that is not known, or the move is over. */
    fitsQuota: t.Nullable(t.Boolean()),
    fitsDisk: t.Nullable(t.Boolean()),
    /** The other server does not answer, and is asked again. */
    isAway: t.Boolean(),
    /** Photos and videos, albums and tags that were dealt with. */
    done: t.Object({ assets: Count, albums: Count, tags: Count }, { title: 'MoveInDoneDto' }),
    /** Files that were taken in, and their bytes. */
    taken: Count,
    takenBytes: Count,
    /** In this library before. */
    duplicates: Count,
    /** In the trash of this library: they stay there. */
    inTrash: Count,
    livePhotos: Count,
    stacks: Count,
    albumItems: Count,
    /** Files that are no photo or video. */
    others: Count,
    failures: Count,
    /** Files of an export without facts, date or album, and entries of albums without a file: the report lists them. */
    noted: Count,
    createdAt: Timestamp,
    startedAt: Moment,
    finishedAt: Moment,
  },
  { title: 'MoveInDto' },
);
export type MoveIn = typeof MoveInDto.static;
