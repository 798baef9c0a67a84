import { expect, setDefaultTimeout, test } from 'bun:test';
import { deleteForGood } from '../support/deletion.ts';
import { join } from 'node:path';
import { useDatabase } from '../support/database.ts';
import { testApp } from '../support/harness.ts';
import { seedHousehold } from '../support/household.ts';
import { addMemory } from '../support/memories.ts';
import { addFace, addPerson } from '../support/people.ts';
import { APP_TYPES, parseLines } from './client.ts';
import { connect, waitForWatermark } from './support.ts';

// Clients are generated from the schemas: a missing member, a null where none is allowed, or an unknown
// word ends their sync.

type Field = {
  type?: string;
  enum?: string;
  nullable?: boolean;
  required?: boolean;
  format?: string;
};
type Schemas = Record<string, { fields: Record<string, Field> }>;
const read = (name: string) => Bun.file(join(import.meta.dir, '../contract', name)).json();
const { schemas }: { schemas: Schemas } = await read('compat.json');

const SCHEMA_OF: Record<string, string> = {
  AuthUserV1: 'SyncAuthUserV1',
  UserV1: 'SyncUserV1',
  UserDeleteV1: 'SyncUserDeleteV1',
  PartnerV1: 'SyncPartnerV1',
  PartnerDeleteV1: 'SyncPartnerDeleteV1',
  AssetV2: 'SyncAssetV2',
  AssetDeleteV1: 'SyncAssetDeleteV1',
  AssetMetadataV1: 'SyncAssetMetadataV1',
  AssetMetadataDeleteV1: 'SyncAssetMetadataDeleteV1',
  AssetEditV1: 'SyncAssetEditV1',
  AssetEditDeleteV1: 'SyncAssetEditDeleteV1',
  AssetExifV1: 'SyncAssetExifV1',
  AssetOcrV1: 'SyncAssetOcrV1',
  AssetOcrDeleteV1: 'SyncAssetOcrDeleteV1',
  PersonV1: 'SyncPersonV1',
  PersonDeleteV1: 'SyncPersonDeleteV1',
  AssetFaceV2: 'SyncAssetFaceV2',
  AssetFaceDeleteV1: 'SyncAssetFaceDeleteV1',
  StackV1: 'SyncStackV1',
  StackDeleteV1: 'SyncStackDeleteV1',
  PartnerAssetV2: 'SyncAssetV2',
  PartnerAssetDeleteV1: 'SyncAssetDeleteV1',
  PartnerAssetBackfillV2: 'SyncAssetV2',
  PartnerAssetExifV1: 'SyncAssetExifV1',
  PartnerStackBackfillV1: 'SyncStackV1',
  PartnerStackV1: 'SyncStackV1',
  PartnerStackDeleteV1: 'SyncStackDeleteV1',
  PartnerAssetExifBackfillV1: 'SyncAssetExifV1',
  AlbumV1: 'SyncAlbumV1',
  AlbumV2: 'SyncAlbumV2',
  AlbumDeleteV1: 'SyncAlbumDeleteV1',
  AlbumUserV1: 'SyncAlbumUserV1',
  AlbumUserBackfillV1: 'SyncAlbumUserV1',
  AlbumUserDeleteV1: 'SyncAlbumUserDeleteV1',
  AlbumAssetBackfillV2: 'SyncAssetV2',
  AlbumAssetCreateV2: 'SyncAssetV2',
  AlbumAssetUpdateV2: 'SyncAssetV2',
  AlbumAssetExifBackfillV1: 'SyncAssetExifV1',
  AlbumAssetExifCreateV1: 'SyncAssetExifV1',
  AlbumAssetExifUpdateV1: 'SyncAssetExifV1',
  AlbumToAssetV1: 'SyncAlbumToAssetV1',
  AlbumToAssetBackfillV1: 'SyncAlbumToAssetV1',
  AlbumToAssetDeleteV1: 'SyncAlbumToAssetDeleteV1',
  MemoryV1: 'SyncMemoryV1',
  MemoryDeleteV1: 'SyncMemoryDeleteV1',
  MemoryToAssetV1: 'SyncMemoryAssetV1',
  MemoryToAssetDeleteV1: 'SyncMemoryAssetDeleteV1',
  UserMetadataV1: 'SyncUserMetadataV1',
  SyncCompleteV1: 'SyncCompleteV1',
};

const WORDS: Record<string, readonly string[]> = {
  AssetTypeEnum: ['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'],
  AssetVisibility: ['archive', 'timeline', 'hidden', 'locked'],
  AlbumUserRole: ['editor', 'owner', 'viewer'],
  AssetOrder: ['asc', 'desc'],
  UserMetadataKey: ['preferences', 'license', 'onboarding'],
  // The app knows no other.
  MemoryType: ['on_this_day'],
  AssetEditAction: ['crop', 'rotate', 'mirror'],
};
const UUID4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function findFault(value: unknown, field: Field): string | undefined {
  if (value === undefined) return field.required ? 'is missing' : undefined;
  if (value === null) return field.nullable ? undefined : 'is null';
  if (field.enum && WORDS[field.enum] && !WORDS[field.enum]!.includes(value as string)) {
    return `is ${JSON.stringify(value)}`;
  }
  if (field.format === 'uuid4' && !UUID4.test(value as string))
    return `is ${JSON.stringify(value)}`;
  if (field.format === 'date-time' && !INSTANT.test(value as string))
    return `is ${JSON.stringify(value)}`;
  if (field.type === 'integer') return Number.isSafeInteger(value) ? undefined : 'is no integer';
  const type = field.type === 'number' ? 'number' : (field.type ?? 'string');
  return typeof value === type ? undefined : `is a ${typeof value}`;
}

// Transactions of other tests on the same server hold the watermark back.
setDefaultTimeout(300_000);

const database = await useDatabase();

test('every line is what clients expect of its type, member by member', async () => {
  const app = testApp(database);
  const { owner, viewer, member, partner, stranger, ids, albumId } = await seedHousehold(database);
  const { sql } = database;
  const all = [...APP_TYPES, 'AlbumsV1'];
  const seen = new Set<string>();
  const check = async () => {
    await waitForWatermark(database);
    for (const user of [owner, viewer, member]) {
      const connection = connect(app, user);
      const acks = new Map<string, string>();
      for await (const { type, data, ack } of parseLines((await connection.stream(all)).body!)) {
        expect(ack.split('|')[0]).toBe(type);
        seen.add(type);
        acks.set(type, ack);
        const fields = schemas[SCHEMA_OF[type] ?? type]?.fields;
        if (!fields) throw new Error(`no schema for ${type}`);
        const faults = Object.entries(fields).flatMap(([name, field]) => {
          const fault = findFault(data[name], field);
          return fault ? [`${type}.${name} ${fault}`] : [];
        });
        expect(faults).toEqual([]);
        expect(Object.keys(data).filter((name) => !(name in fields))).toEqual([]);
      }
      await connection.ack([...acks.values()]);
    }
  };
  await sql`insert into asset_metadata (asset_id, key, value) values (${ids.plain}, 'k', '{"a": 1}')`;
  await sql`insert into asset_edit (asset_id, position, action, parameters)
    values (${ids.plain}, 0, 'rotate', '{"angle": 90}')`;
  const { id: personId } = await addPerson(database, {
    ownerId: owner.id,
    name: 'Ann',
    birthDate: '1990-05-17',
    color: '#0f0',
  });
  const face = await addFace(database, { ownerId: owner.id, assetId: ids.plain, personId });
  await addFace(database, { ownerId: owner.id, assetId: ids.plain });
  await sql`update person set cover_face_id = ${face.id}`;
  await sql`insert into document (asset_id, model_id, folded)
    values (${ids.plain}, 'm', 'a')`;
  await sql`insert into document_line (asset_id, line, position, text, score, box_score, quad)
    values (${ids.plain}, 0, 0, 'A', 0.9, 1, '{0,0,0.5,0,0.5,0.1,0,0.1}')`;
  const shown = [ids.plain, ids.favorite];
  const memory = await addMemory(database, { ownerId: owner.id }, shown);
  const other = await addMemory(database, { ownerId: owner.id, type: 'person' }, shown);
  await check();
  await sql`delete from memory_asset where asset_id = ${ids.favorite}`;
  await sql`delete from memory where id = ${other}`;
  await sql`delete from document`;
  await sql`delete from face where id = ${face.id}`;
  await sql`delete from person`;
  await sql`delete from asset_metadata`;
  await sql`delete from asset_edit`;
  await sql`delete from stack`;
  await sql`update asset set visibility = 'archive' where id = ${ids.favorite}`;
  await sql`update asset set file_name = 'b.jpg' where id = ${ids.live}`;
  await sql`update asset_exif set city = 'Porto' where asset_id = ${ids.live}`;
  await sql`with made as (
      insert into stack (owner_id, primary_id) values (${owner.id}, ${ids.live}) returning id)
    update asset set stack_id = made.id from made where asset.id in (${ids.live}, ${ids.plain})`;
  await deleteForGood(database, [ids.video]);
  await sql`insert into album_user (album_id, user_id, role) values (${albumId}, ${partner.id}, 'editor')`;
  await sql`delete from app_user where id = ${stranger.id}`;
  const [album] =
    await sql`insert into album (owner_id, name) values (${owner.id}, 'x') returning id`;
  await check();
  await sql`delete from memory where id = ${memory}`;
  await sql`delete from album where id = ${album!['id']}`;
  await sql`delete from album_user where user_id = ${partner.id}`;
  await sql`delete from partner where viewer_id = ${viewer.id}`;
  await sql`update partner set in_timeline = false`;
  await check();
  expect(Object.keys(SCHEMA_OF).filter((type) => !seen.has(type))).toEqual([]);
});
