import { type Static, Type } from 'typebox';
import { defineOperation, type Operation } from '../../operations/define.ts';
import { PROGRAMS } from './programs.ts';
import { runMoveIn } from './jobs.ts';

const Count = Type.Integer({ minimum: 0 });
const MaybeCount = Type.Union([Count, Type.Null()]);

/** The numbers of things that were there at the check. */
const Found = Type.Object({
  photos: Count,
  videos: Count,
  albums: Count,
  tags: Count,
  people: MaybeCount,
  bytes: MaybeCount,
});

const Server = Type.Object({
  /** Address of the API of the other server. */
  url: Type.String(),
  /** Id of the account there. */
  userId: Type.String(),
  found: Found,
});

const Folder = Type.Object({
  /** Absolute, on the machine of the node. */
  path: Type.String(),
  program: Type.Enum(PROGRAMS),
  /** The account whose library gets the files. */
  ownerId: Type.String(),
  namesAlbums: Type.Boolean(),
  tagsPeople: Type.Boolean(),
  /** None in moves of earlier versions. */
  trustsDates: Type.Optional(Type.Boolean()),
  found: Found,
});

const Archives = Type.Object({
  /** ZIP files of the account's computer, in their order. */
  archives: Type.Array(Type.Object({ name: Type.String(), size: Count })),
  /** The folder of unfinished uploads in which their bytes are; null where there is one server. */
  stagingId: Type.Union([Type.String(), Type.Null()]),
  namesAlbums: Type.Boolean(),
  tagsPeople: Type.Boolean(),
  trustsDates: Type.Boolean(),
});

const Payload = Type.Union([Server, Folder, Archives]);

/** How far the archives are: their bytes come, they are unpacked, and then taken in. */
const ArchivesState = Type.Object({
  phase: Type.Enum(['upload', 'unpack', 'import']),
  parts: Type.Array(
    Type.Object({
      /** Bytes that are on the disk. */
      received: Count,
      isUnpacked: Type.Boolean(),
    }),
  ),
  /** From 0 to 1, of the part that is unpacked now. */
  share: Type.Number(),
  /** When all are unpacked. */
  program: Type.Optional(Type.Enum(PROGRAMS)),
  found: Type.Optional(Found),
});

const Progress = Type.Object({
  /** Photos and videos that the present run has dealt with. */
  assets: Count,
  albums: Count,
  tags: Count,
  /** Files refused by the present run. */
  failures: Count,
  /** Files listed by the present run for another reason; none in moves of earlier versions. */
  noted: Type.Optional(Count),
  /** The other server does not answer, and is asked again. */
  isAway: Type.Boolean(),
  /** Since when, if the move has given its slot to others meanwhile. */
  awaySince: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** These are of all runs together. */
  taken: Count,
  takenBytes: Count,
  livePhotos: Count,
  stacks: Count,
  albumItems: Count,
  /** These are of the present run. */
  duplicates: Count,
  inTrash: Count,
  others: Count,
  /** Node that was given the API key, or at which the folder is. */
  keyHolder: Type.Union([Type.String(), Type.Null()]),
  /** Set for a move from archives as soon as bytes have arrived. */
  archives: Type.Optional(ArchivesState),
});

/** Moves of an account from another server, a folder, or archives. What was not started yet is prepared, and so is what was paused. */
export const moveInKind = defineOperation({
  name: 'move-in',
  job: runMoveIn,
  payload: Payload,
  progress: Progress,
  start: {
    assets: 0,
    albums: 0,
    tags: 0,
    failures: 0,
    isAway: false,
    taken: 0,
    takenBytes: 0,
    livePhotos: 0,
    stacks: 0,
    albumItems: 0,
    duplicates: 0,
    inTrash: 0,
    others: 0,
    keyHolder: null,
  },
});

export type MoveInProgress = Static<typeof Progress>;
export type MoveInOperation = Operation<Static<typeof Payload>, MoveInProgress>;
type From<Source> = Omit<MoveInOperation, 'payload'> & { readonly payload: Source };
export type ServerMoveIn = From<Static<typeof Server>>;
export type FolderMoveIn = From<Static<typeof Folder>>;
export type ArchivesMoveIn = From<Static<typeof Archives>>;
export type ArchivesProgress = Static<typeof ArchivesState>;
export type Found = Static<typeof Found>;

export const isFromServer = (operation: MoveInOperation): operation is ServerMoveIn =>
  'url' in operation.payload;
export const isFromFolder = (operation: MoveInOperation): operation is FolderMoveIn =>
  'path' in operation.payload;

export const isFromArchives = (operation: MoveInOperation): operation is ArchivesMoveIn =>
  'archives' in operation.payload;

export const getArchives = ({ payload, progress }: ArchivesMoveIn): ArchivesProgress =>
  progress.archives ?? {
    phase: 'upload',
    parts: payload.archives.map(() => ({ received: 0, isUnpacked: false })),
    share: 0,
  };

/** Whether the next run unpacks. */
export const isUnpacking = (operation: MoveInOperation): boolean =>
  isFromArchives(operation) && getArchives(operation).phase === 'unpack';

/** Returns what was there at the check; of archives that are not unpacked their bytes only. */
export function getFound(operation: MoveInOperation): Found {
  if (isFromServer(operation) || isFromFolder(operation)) return operation.payload.found;
  if (!isFromArchives(operation)) throw new Error('The move has no source');
  const bytes = sumSizes(operation.payload.archives);
  const none = { photos: 0, videos: 0, albums: 0, tags: 0, people: null, bytes };
  return getArchives(operation).found ?? none;
}

export const sumSizes = (archives: readonly { readonly size: number }[]): number =>
  archives.reduce((sum, { size }) => sum + size, 0);

export function requireServer(operation: MoveInOperation): ServerMoveIn {
  if (!isFromServer(operation)) throw new Error('The move is not one from a server');
  return operation;
}

/** Returns the account whose library gets what is taken in. */
export const getOwnerId = (operation: MoveInOperation): string =>
  isFromFolder(operation) ? operation.payload.ownerId : operation.accountId;
