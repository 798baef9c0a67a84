import type { Json } from '../support/json.ts';
// A program that keeps a copy of a library by the protocol alone, as the phone app does: it applies
// lines in batches, says after each which it has kept, one ack per run of a type, and refuses what its
// tables would refuse. It knows nothing of the server but its answers.

export type Line = { readonly type: string; readonly data: Json; readonly ack: string };
type Row = Record<string, Json>;
type Table = Map<string, Row>;

export type Copy = {
  readonly authUsers: Table;
  readonly users: Table;
  readonly partners: Table;
  readonly assets: Table;
  readonly exifs: Table;
  readonly metadata: Table;
  readonly edits: Table;
  readonly ocr: Table;
  readonly persons: Table;
  readonly faces: Table;
  readonly stacks: Table;
  readonly albums: Table;
  readonly albumUsers: Table;
  readonly albumAssets: Table;
  readonly memories: Table;
  readonly memoryAssets: Table;
  readonly userMetadata: Table;
};

export const emptyCopy = (): Copy => ({
  authUsers: new Map(),
  users: new Map(),
  partners: new Map(),
  assets: new Map(),
  exifs: new Map(),
  metadata: new Map(),
  edits: new Map(),
  ocr: new Map(),
  persons: new Map(),
  faces: new Map(),
  stacks: new Map(),
  albums: new Map(),
  albumUsers: new Map(),
  albumAssets: new Map(),
  memories: new Map(),
  memoryAssets: new Map(),
  userMetadata: new Map(),
});

/** Types that version 3 of the app requests. */
export const APP_TYPES = [
  'AuthUsersV1',
  'UsersV1',
  'AssetsV2',
  'AssetExifsV1',
  'AssetMetadataV1',
  'AssetEditsV1',
  'AssetOcrV1',
  'PartnersV1',
  'PartnerAssetsV2',
  'PartnerAssetExifsV1',
  'PartnerStacksV1',
  'AlbumsV2',
  'AlbumUsersV1',
  'AlbumAssetsV2',
  'AlbumAssetExifsV1',
  'AlbumToAssetsV1',
  'MemoriesV1',
  'MemoryToAssetsV1',
  'StacksV1',
  'UserMetadataV1',
  'PeopleV1',
  'AssetFacesV2',
];

type Apply = (copy: Copy, data: Row) => void;

const need = (table: Table, key: string, what: string): void => {
  if (!table.has(key)) throw new Error(`${what} ${key} is not in the copy`);
};

const putAsset: Apply = (copy, asset) => {
  need(copy.users, asset['ownerId'], 'the owner');
  copy.assets.set(asset['id'], asset);
};
const putExif: Apply = (copy, exif) => {
  need(copy.assets, exif['assetId'], 'the asset of an exif row');
  copy.exifs.set(exif['assetId'], exif);
};
const putStack: Apply = (copy, stack) => {
  need(copy.users, stack['ownerId'], 'the owner');
  copy.stacks.set(stack['id'], stack);
};
const putAlbumUser: Apply = (copy, { albumId, userId, role }) => {
  need(copy.albums, albumId, 'the album of a member');
  need(copy.users, userId, 'the member');
  copy.albumUsers.set(`${albumId} ${userId}`, { albumId, userId, role });
};
const putAlbumAsset: Apply = (copy, { albumId, assetId }) => {
  need(copy.albums, albumId, 'the album of an asset');
  need(copy.assets, assetId, 'the asset of an album');
  copy.albumAssets.set(`${albumId} ${assetId}`, { albumId, assetId });
};

const dropWhere = (table: Table, field: string, value: string): void => {
  for (const [key, row] of table) if (row[field] === value) table.delete(key);
};

const dropAsset: Apply = (copy, { assetId }) => {
  copy.assets.delete(assetId);
  const { exifs, metadata, edits, ocr, faces, albumAssets, memoryAssets } = copy;
  for (const table of [exifs, metadata, edits, ocr, faces, albumAssets, memoryAssets]) {
    dropWhere(table, 'assetId', assetId);
  }
};
const dropPerson: Apply = (copy, { personId }) => {
  copy.persons.delete(personId);
  for (const [id, face] of copy.faces) {
    if (face['personId'] === personId) copy.faces.set(id, { ...face, personId: null });
  }
};
const dropAlbum: Apply = (copy, { albumId }) => {
  copy.albums.delete(albumId);
  dropWhere(copy.albumUsers, 'albumId', albumId);
  dropWhere(copy.albumAssets, 'albumId', albumId);
};
const dropMemory: Apply = (copy, { memoryId }) => {
  copy.memories.delete(memoryId);
  dropWhere(copy.memoryAssets, 'memoryId', memoryId);
};
const dropUser: Apply = (copy, { userId }) => {
  copy.users.delete(userId);
  for (const { id, ownerId } of copy.assets.values()) {
    if (ownerId === userId) dropAsset(copy, { assetId: id });
  }
  dropWhere(copy.stacks, 'ownerId', userId);
  dropWhere(copy.persons, 'ownerId', userId);
  dropWhere(copy.partners, 'sharedById', userId);
  dropWhere(copy.partners, 'sharedWithId', userId);
  dropWhere(copy.albumUsers, 'userId', userId);
};

/** Removes rows that nothing refers to, as after a partner stopped sharing. */
const prune: Apply = (copy) => {
  const [me] = copy.authUsers.keys();
  const kept = new Set([me]);
  for (const { sharedById, sharedWithId } of copy.partners.values()) {
    if (sharedWithId === me) kept.add(sharedById);
  }
  const inAlbums = new Set([...copy.albumAssets.values()].map((row) => row['assetId']));
  for (const [id, asset] of copy.assets) {
    if (!kept.has(asset['ownerId']) && !inAlbums.has(id)) dropAsset(copy, { assetId: id });
  }
};

const APPLY: Record<string, Apply> = {
  AuthUserV1: (copy, user) => copy.authUsers.set(user['id'], user),
  UserV1: (copy, user) => copy.users.set(user['id'], user),
  UserDeleteV1: dropUser,
  PartnerV1: (copy, row) => copy.partners.set(`${row['sharedById']} ${row['sharedWithId']}`, row),
  PartnerDeleteV1: (copy, row) =>
    copy.partners.delete(`${row['sharedById']} ${row['sharedWithId']}`),
  AssetV2: putAsset,
  AssetDeleteV1: dropAsset,
  PartnerAssetV2: putAsset,
  PartnerAssetBackfillV2: putAsset,
  PartnerAssetDeleteV1: dropAsset,
  AlbumAssetCreateV2: putAsset,
  AlbumAssetUpdateV2: putAsset,
  AlbumAssetBackfillV2: putAsset,
  AssetExifV1: putExif,
  PartnerAssetExifV1: putExif,
  PartnerAssetExifBackfillV1: putExif,
  AlbumAssetExifCreateV1: putExif,
  AlbumAssetExifUpdateV1: putExif,
  AlbumAssetExifBackfillV1: putExif,
  AssetMetadataV1: (copy, row) => {
    need(copy.assets, row['assetId'], 'the asset of a key');
    copy.metadata.set(`${row['assetId']} ${row['key']}`, row);
  },
  AssetMetadataDeleteV1: (copy, row) => copy.metadata.delete(`${row['assetId']} ${row['key']}`),
  AssetEditV1: (copy, row) => {
    need(copy.assets, row['assetId'], 'the asset of an edit');
    copy.edits.set(row['id'], row);
  },
  AssetEditDeleteV1: (copy, row) => copy.edits.delete(row['editId']),
  AssetOcrV1: (copy, row) => {
    need(copy.assets, row['assetId'], 'the asset of a line of text');
    copy.ocr.set(row['id'], row);
  },
  AssetOcrDeleteV1: (copy, row) => copy.ocr.delete(row['id']),
  PersonV1: (copy, person) => {
    need(copy.users, person['ownerId'], 'the owner');
    copy.persons.set(person['id'], person);
  },
  PersonDeleteV1: dropPerson,
  AssetFaceV2: (copy, face) => {
    need(copy.assets, face['assetId'], 'the asset of a face');
    if (face['personId']) need(copy.persons, face['personId'], 'the person of a face');
    copy.faces.set(face['id'], face);
  },
  AssetFaceDeleteV1: (copy, row) => copy.faces.delete(row['assetFaceId']),
  StackV1: putStack,
  StackDeleteV1: (copy, row) => copy.stacks.delete(row['stackId']),
  PartnerStackV1: putStack,
  PartnerStackBackfillV1: putStack,
  PartnerStackDeleteV1: (copy, row) => copy.stacks.delete(row['stackId']),
  AlbumV1: (copy, album) => copy.albums.set(album['id'], album),
  AlbumV2: (copy, album) => copy.albums.set(album['id'], album),
  AlbumDeleteV1: dropAlbum,
  AlbumUserV1: putAlbumUser,
  AlbumUserBackfillV1: putAlbumUser,
  AlbumUserDeleteV1: (copy, row) => copy.albumUsers.delete(`${row['albumId']} ${row['userId']}`),
  AlbumToAssetV1: putAlbumAsset,
  AlbumToAssetBackfillV1: putAlbumAsset,
  AlbumToAssetDeleteV1: (copy, row) =>
    copy.albumAssets.delete(`${row['albumId']} ${row['assetId']}`),
  MemoryV1: (copy, memory) => {
    need(copy.users, memory['ownerId'], 'the owner');
    if (memory['type'] !== 'on_this_day') throw new Error(`a memory of type ${memory['type']}`);
    copy.memories.set(memory['id'], memory);
  },
  MemoryDeleteV1: dropMemory,
  MemoryToAssetV1: (copy, { memoryId, assetId }) => {
    need(copy.memories, memoryId, 'the memory of an asset');
    need(copy.assets, assetId, 'the asset of a memory');
    copy.memoryAssets.set(`${memoryId} ${assetId}`, { memoryId, assetId });
  },
  MemoryToAssetDeleteV1: (copy, row) =>
    copy.memoryAssets.delete(`${row['memoryId']} ${row['assetId']}`),
  UserMetadataV1: (copy, row) => copy.userMetadata.set(row['key'], row['value']),
  SyncAckV1: () => {},
  SyncCompleteV1: prune,
  SyncResetV1: (copy) => {
    for (const table of Object.values(copy)) table.clear();
  },
};

export type Connection = {
  /** POST /sync/stream. */
  stream(types: readonly string[]): Promise<Response>;
  /** POST /sync/ack. */
  ack(acks: readonly string[]): Promise<void>;
};

export type SyncOptions = {
  readonly types?: readonly string[];
  /** Lines that are applied and acknowledged together. */
  readonly batch?: number;
  /** The connection breaks after so many lines; those of the last, unfinished batch are lost. */
  readonly breakAfter?: number;
  /** Runs after each batch: what happens on the server meanwhile. */
  readonly between?: () => Promise<void>;
};

export type Synced = {
  readonly lines: number;
  readonly counts: Record<string, number>;
  /** 'complete': the copy is up to date. 'reset': it was emptied, and the next stream fills it. */
  readonly end: 'complete' | 'reset' | 'broken';
};

/** One stream, applied to the copy. */
export async function syncOnce(
  connection: Connection,
  copy: Copy,
  { types = APP_TYPES, batch = 5000, breakAfter = Infinity, between }: SyncOptions = {},
): Promise<Synced> {
  const response = await connection.stream(types);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const counts: Record<string, number> = {};
  let [total, pending] = [0, [] as Line[]];
  let end: Synced['end'] = 'broken';
  const flush = async () => {
    const acks: string[] = [];
    for (const [index, { type, data, ack }] of pending.entries()) {
      const apply = APPLY[type];
      if (!apply) throw new Error(`a line of type ${type}`);
      apply(copy, data);
      if (pending[index + 1]?.type !== type) acks.push(ack);
      if (type === 'SyncCompleteV1') end = 'complete';
      if (type === 'SyncResetV1') end = 'reset';
    }
    pending = [];
    if (acks.length > 0) await connection.ack(acks);
  };
  for await (const line of parseLines(response.body!)) {
    if (total >= breakAfter) return { lines: total, counts, end: 'broken' };
    total += 1;
    counts[line.type] = (counts[line.type] ?? 0) + 1;
    pending.push(line);
    if (pending.length >= batch) {
      await flush();
      await between?.();
    }
  }
  await flush();
  return { lines: total, counts, end };
}

/** Until the copy is up to date. */
export async function syncAll(connection: Connection, copy: Copy, options?: SyncOptions) {
  for (;;) {
    const synced = await syncOnce(connection, copy, options);
    if (synced.end === 'complete') return synced;
  }
}

export async function* parseLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop()!;
    for (const part of parts) yield JSON.parse(part);
  }
  if (rest !== '') throw new Error(`the last line has no end: ${rest.slice(0, 80)}`);
}
