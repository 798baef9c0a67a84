import { archiveKind } from '../../src/areas/archive-operations/kind.ts';
import { moveInKind } from '../../src/areas/move-ins/kind.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import type { App } from '../../src/app.ts';
import { call, NOW, seed, type TestDatabase, type TestUser } from '../support/harness.ts';
import { addFace, addPerson, faceVector } from '../support/people.ts';
import { saveRecognizedText } from '../support/recognized-text.ts';

// One library in which every kind of thing exists once as the owner's, once as a stranger's, and for
// assets and albums also in each state that changes who may see it. Every text in it is a marker: where
// one appears in an answer, the thing it belongs to was shown.

/** Relation of an asset to the calling accounts and links. */
export const ASSET_STATES = [
  'own', // the owner's, in the Timeline; a partner sees it
  'shared', // the same, in an album and in a link
  'archived',
  'locked', // in the album and in the link too
  'trashed', // in the album and in the link too
  'partners', // somebody's who shares the Timeline with the owner
  'foreign', // a stranger's
] as const;
export type AssetState = (typeof ASSET_STATES)[number];

/** Things other than assets: the owner's, and the stranger's. Albums have one that is shared too. */
const KINDS = [
  'album',
  'person',
  'otherPerson',
  'face',
  'tag',
  'stack',
  'pet',
  'otherPet',
  'observation',
  'document',
  'video',
  'moment',
  'frame',
  'link',
  'activity',
  'device',
  'metadataChange',
  'operation',
  'moveIn',
  'upload',
  'session',
  'apiKey',
  'savedSearch',
  'correction',
  'duplicate',
  'notification',
  'memory',
  'memoryExport',
  'studioProject',
  'studioPreview',
  'studioStream',
  'studioExport',
  'workflow',
  'workflowRun',
] as const;
export type Kind = (typeof KINDS)[number];
export type ThingState = 'own' | 'shared' | 'foreign';
/** An account of another server that has nothing. */
const NOTHING_FOUND = { photos: 0, videos: 0, albums: 0, tags: 0, people: null, bytes: null };
/** A project that shows nothing. */
export const EMPTY_FILM = {
  width: 16,
  height: 16,
  frameRate: { numerator: 30, denominator: 1 },
  clips: [],
};
type Things = Record<Kind | 'faceAsset' | 'second', string>;

const ACCOUNTS = [
  'owner',
  'partner',
  'laterPartner',
  'viewer',
  'editor',
  'stranger',
  'admin',
] as const;
export type Account = (typeof ACCOUNTS)[number];

export type World = {
  readonly accounts: Readonly<Record<Account, TestUser>>;
  /** Shares the Timeline with the owner. */
  readonly sharer: string;
  /** A session of the owner in which the PIN was entered. */
  readonly pinToken: string;
  /** An API key of the owner, without any permission yet. */
  readonly weakKey: { readonly id: string; readonly secret: string };
  /** Slugs of links: to some assets, and to the album without downloads. */
  readonly links: { readonly assets: string; readonly album: string };
  readonly assets: Readonly<Record<AssetState, string>>;
  readonly things: Readonly<Record<'owner' | 'stranger', Things>>;
  readonly sharedAlbum: string;
  /** An album and an asset of each account that nobody else sees. */
  readonly mine: Readonly<Record<Account, { readonly album: string; readonly asset: string }>>;
  /** Texts that show an asset, or a private thing of the owner or of the stranger. */
  readonly markers: Readonly<Record<AssetState | 'ofOwner' | 'ofStranger' | 'inAlbum', string[]>>;
};

export async function buildWorld(database: TestDatabase, app: App): Promise<World> {
  const { sql, deps } = database;
  mkdirSync(deps.paths.incoming, { recursive: true });
  const accounts = {} as Record<Account, TestUser>;
  for (const name of ACCOUNTS) {
    accounts[name] = await seed(database).user(['all'], { isAdmin: name === 'admin' });
  }
  const { owner, partner, laterPartner, viewer, editor, stranger } = accounts;
  const sharer = await seed(database).user();
  await sql`insert into partner (sharer_id, viewer_id, in_timeline, shared_from) values
    (${owner.id}, ${partner.id}, true, null), (${sharer.id}, ${owner.id}, true, null),
    (${owner.id}, ${laterPartner.id}, true, '2999-01-01')`;

  const markers = { ofOwner: [], ofStranger: [], inAlbum: [] } as unknown as Record<
    string,
    string[]
  >;
  const asset = (state: string, ownerId: string, over: object = {}) =>
    addAsset(database, { ownerId, ...over }, (markers[state] ??= []));
  const assets = {
    own: await asset('own', owner.id),
    shared: await asset('shared', owner.id),
    archived: await asset('archived', owner.id, { visibility: 'archive' }),
    locked: await asset('locked', owner.id, { lockedAt: NOW }),
    trashed: await asset('trashed', owner.id, { trashedAt: NOW }),
    partners: await asset('partners', sharer.id),
    foreign: await asset('foreign', stranger.id),
  };

  const sharedAlbum = await addAlbum(database, owner.id, markers['inAlbum']!);
  await sql`insert into album_user (album_id, user_id, role) values
    (${sharedAlbum}, ${viewer.id}, 'viewer'), (${sharedAlbum}, ${editor.id}, 'editor')`;
  const links = { assets: `assets-${randomUUID()}`, album: `album-${randomUUID()}` };
  const linkId = await addLink(database, owner.id, { slug: links.assets });
  await addLink(database, owner.id, { slug: links.album, albumId: sharedAlbum, download: false });
  for (const id of [assets.shared, assets.locked, assets.trashed]) {
    await sql`insert into album_asset (album_id, asset_id) values (${sharedAlbum}, ${id})`;
    await sql`insert into shared_link_asset (link_id, asset_id) values (${linkId}, ${id})`;
  }

  const mine = {} as Record<Account, { album: string; asset: string }>;
  for (const name of ACCOUNTS) {
    const own = await addAsset(database, { ownerId: accounts[name].id, visibility: 'archive' }, []);
    mine[name] = { album: await addAlbum(database, accounts[name].id, []), asset: own };
  }
  const things = {
    owner: await addThings(database, app, owner, markers['ofOwner']!),
    stranger: await addThings(database, app, stranger, markers['ofStranger']!),
  };
  const pinToken = await addPinSession(database, owner);
  const secret = newSecret();
  const [weak] = await sql`
    insert into api_key (user_id, name, key_hash, permissions)
    values (${owner.id}, 'weak', ${sha256(secret)}, '{}') returning id`;
  const weakKey = { id: weak!['id'] as string, secret };
  return {
    accounts,
    sharer: sharer.id,
    pinToken,
    weakKey,
    links,
    assets,
    things,
    sharedAlbum,
    mine,
    markers: markers as World['markers'],
  };
}

const later = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const marker = (kind: string) => `${kind}${randomBytes(6).toString('hex')}`;

async function addAsset(
  database: TestDatabase,
  values: Parameters<ReturnType<typeof seed>['asset']>[0],
  markers: string[],
): Promise<string> {
  const [fileName, description, city] = [`${marker('file')}.jpg`, marker('about'), marker('city')];
  const digest = randomBytes(32);
  const id = await seed(database).asset({
    fileName,
    sha256: digest,
    sha1: digest.subarray(0, 20),
    width: 100,
    height: 80,
    exif: { description, city, country: 'Portugal', latitude: 38.7, longitude: -9.1 },
    ...values,
  });
  const path = originalPath(database.deps.paths, digest);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x');
  markers.push(id, fileName, description, city, digest.subarray(0, 20).toString('base64'));
  return id;
}

async function addAlbum({ sql }: TestDatabase, ownerId: string, markers: string[]) {
  const name = marker('album');
  const [row] = await sql`
    insert into album (owner_id, name) values (${ownerId}, ${name}) returning id`;
  markers.push(row!['id'] as string, name);
  return row!['id'] as string;
}

async function addLink(
  { sql }: TestDatabase,
  ownerId: string,
  {
    slug,
    albumId = null,
    download = true,
  }: { slug: string; albumId?: string | null; download?: boolean },
): Promise<string> {
  const [row] = await sql`
    insert into shared_link (owner_id, type, album_id, key, slug, allow_download)
    values (${ownerId}, ${albumId ? 'ALBUM' : 'INDIVIDUAL'}, ${albumId}, ${randomBytes(50)}, ${slug},
      ${download}) returning id`;
  return row!['id'] as string;
}

async function addPinSession(database: TestDatabase, { id }: TestUser): Promise<string> {
  const token = newSecret();
  await database.sql`insert into session (user_id, token_hash, proven_at, elevated_until)
    values (${id}, ${sha256(token)}, ${NOW.toISOString()}, ${later(900_000)})`;
  return token;
}

/** One private thing of each kind, on assets of its own. */
async function addThings(
  database: TestDatabase,
  app: App,
  user: TestUser,
  markers: string[],
): Promise<Things> {
  const { sql } = database;
  // Archived: a partner sees none of them.
  const add = (over: object = {}) =>
    addAsset(database, { ownerId: user.id, visibility: 'archive', ...over }, markers);
  const one = async (rows: Promise<readonly Record<string, unknown>[]>): Promise<string> => {
    const id = Object.values((await rows)[0]!)[0] as string;
    markers.push(id);
    return id;
  };
  const named = (kind: string) => {
    const text = marker(kind);
    markers.push(text);
    return text;
  };
  const [asset, second, paper] = [await add(), await add(), await add()];
  const video = await add({ type: 'VIDEO', durationMs: 10_000 });
  const person = await addPerson(database, { ownerId: user.id, name: named('person') });
  const other = await addPerson(database, { ownerId: user.id, name: named('person') });
  const { id: face } = await addFace(database, {
    ownerId: user.id,
    personId: person.id,
    assetId: asset,
    vector: faceVector(0),
  });
  markers.push(person.id, other.id, face);
  await saveRecognizedText(database, { assetId: paper, ownerId: user.id }, [
    named('line'),
    'Stadtwerke Neue Abrechnung',
    'Bitte gut aufbewahren',
  ]);
  const [early, late] = [await add(), await add()].toSorted() as [string, string];
  await sql`insert into duplicate_pair values (${user.id}, ${early}, ${late}, 1)`;
  const { body: sets } = await call(app, 'GET /duplicates', { as: user });
  const duplicate = sets[0].duplicateId as string;
  markers.push(duplicate);
  const album = await addAlbum(database, user.id, markers);
  await sql`insert into album_asset (album_id, asset_id) values (${album}, ${asset})`;
  const tag = await one(sql`
    insert into tag (owner_id, value) values (${user.id}, ${named('tag')}) returning id`);
  await sql`insert into tag_asset (tag_id, asset_id) values (${tag}, ${asset})`;
  const stack = await one(sql`
    insert into stack (owner_id, primary_id) values (${user.id}, ${asset}) returning id`);
  await sql`update asset set stack_id = ${stack}, is_stack_child = id = ${second}
    where id in (${asset}, ${second})`;
  const pet = await one(sql`
    insert into pet (owner_id, name, species) values (${user.id}, ${named('pet')}, 'cat')
    returning id`);
  const otherPet = await one(sql`
    insert into pet (owner_id, name, species, is_default)
    values (${user.id}, ${named('pet')}, 'cat', false)
    returning id`);
  const observation = await one(sql`
    insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
    values (${pet}, ${asset}, 'cat', 0, 0, 1, 1, 1, 'm') returning id`);
  const frameName = named('frame');
  mkdirSync(database.deps.paths.derived, { recursive: true });
  writeFileSync(join(database.deps.paths.derived, frameName), 'x');
  const frame = await one(sql`
    insert into video_frame (id, asset_id, at_ms, start_ms, end_ms, rank, score, source, name, size, tag)
    values (${Bun.randomUUIDv7()}, ${video}, 0, 0, 1, 1, 1, 's', ${frameName}, 1, 't')
    returning id`);
  const moment = await one(sql`
    insert into video_moment (id, asset_id, kind, start_ms, end_ms, title)
    values (${Bun.randomUUIDv7()}, ${video}, 'manual', 0, 1, ${named('moment')}) returning id`);
  const link = await addLink(database, user.id, { slug: named('link') });
  await sql`insert into shared_link_asset (link_id, asset_id) values (${link}, ${asset})`;
  const activity = await one(sql`
    insert into activity (album_id, asset_id, user_id, kind, comment)
    values (${album}, ${asset}, ${user.id}, 'comment', ${named('comment')}) returning id`);
  const device = await one(sql`
    insert into backup_device (user_id, device_key, name)
    values (${user.id}, ${named('device')}, ${named('phone')}) returning id`);
  const metadataChange = await one(sql`
    insert into metadata_change (account_id, fields, created_at)
    values (${user.id}, '{rating}', now()) returning id`);
  const operation = await one(sql`
    insert into operation (kind, account_id, state, payload, progress, total, created_at)
    values ('archive', ${user.id}, 'completed', '{"source": "selection"}',
      ${JSON.stringify(archiveKind.start)}::text::jsonb, 1, now()) returning id`);
  const moveIn = await one(sql`
    insert into operation (kind, account_id, state, payload, progress, total, created_at)
    values ('move-in', ${user.id}, 'completed',
      ${JSON.stringify({ url: named('http://nas'), userId: 'u', found: NOTHING_FOUND })}::text::jsonb,
      ${JSON.stringify(moveInKind.start)}::text::jsonb, 0, now()) returning id`);
  const notification = await one(sql`
    insert into notification (owner_id, type, level, title)
    values (${user.id}, 'Custom', 'info', ${named('notification')}) returning id`);
  const upload = await one(sql`
    insert into upload (id, user_id, publication, sha256, media_type, metadata, created_at,
      updated_at, expires_at)
    values (${randomUUID()}, ${user.id}, 'immediate', ${randomBytes(32)}, 'image/jpeg',
      ${JSON.stringify({ filename: named('upload') })}::text::jsonb, ${NOW.toISOString()}, ${NOW.toISOString()}, ${later(1e9)})
    returning id`);
  const session = await one(sql`
    insert into session (user_id, token_hash, device_type)
    values (${user.id}, ${randomBytes(32)}, ${named('browser')}) returning id`);
  const apiKey = await one(sql`
    insert into api_key (user_id, name, key_hash, permissions)
    values (${user.id}, ${named('key')}, ${randomBytes(32)}, '{all}') returning id`);
  const savedSearch = await one(sql`
    insert into saved_search (owner_id, name, words, chips)
    values (${user.id}, ${named('search')}, ${named('words')}, '[]') returning id`);
  const correction = await one(sql`
    insert into face_correction (owner_id, kind, person_id)
    values (${user.id}, 'moved-onto', ${person.id}) returning id`);
  const memory = await one(sql`
    insert into memory (owner_id, type, name, description, memory_at)
    values (${user.id}, 'custom', ${named('memory')}, ${named('about')}, ${NOW.toISOString()})
    returning id`);
  await sql`insert into memory_asset (memory_id, asset_id, position) values (${memory}, ${asset}, 0)`;
  const memoryExport = await one(sql`
    with made as (
      insert into operation (kind, account_id, state, payload, progress, total, created_at,
        finished_at, expires_at)
      values ('memory-archive', ${user.id}, 'cancelled',
        jsonb_build_object('memoryId', ${memory}::text, 'language', 'en'),
        '{"processed": 1, "skipped": 0}', 1, now(), ${NOW.toISOString()}, ${later(1e9)})
      returning id)
    insert into operation_file (id, memory_id, destination, planned_bytes, name)
    select id, ${memory}, 'download', 0, ${named('export')} from made
    returning id`);
  const studioProject = await one(sql`
    insert into studio_project (owner_id, name, created_at, updated_at)
    values (${user.id}, ${named('film')}, now(), now()) returning id`);
  await sql`
    insert into studio_revision (project_id, revision, document, created_at)
    values (${studioProject}, 1, ${JSON.stringify(EMPTY_FILM)}::text::jsonb, now())`;
  const studioRender = await one(sql`
    insert into studio_render (id, project_id, revision, numerator, denominator, quality, width, height,
      render_key, account_id, state, created_at, source_count)
    values (${Bun.randomUUIDv7()}, ${studioProject}, 1, 0, 1, 'draft', 16, 16, ${studioProject},
      ${user.id}, 'failed', now(), 0) returning id`);
  const studioPreview = await one(sql`
    insert into studio_preview (id, render_id, account_id, operation_id, created_at)
    values (${Bun.randomUUIDv7()}, ${studioRender}, ${user.id}, ${studioRender}, now())
    returning id`);
  const studioStream = await one(sql`
    insert into studio_stream (id, project_id, revision, account_id, max_bitrate_kbps, state,
      close_reason, created_at, polled_at, closed_at)
    values (${Bun.randomUUIDv7()}, ${studioProject}, 1, ${user.id}, 1200, 'closed', 'deleted', now(),
      now(), now()) returning id`);
  const studioExport = await one(sql`
    with made as (
      insert into operation (id, kind, account_id, state, payload, progress, error, created_at,
        finished_at)
      values (${Bun.randomUUIDv7()}, 'studio-film', ${user.id}, 'failed',
        jsonb_build_object('projectId', ${studioProject}::text, 'revision', 1, 'width', 16, 'height', 16),
        '{"share": 0}', ${named('error')}, now(), now())
      returning id)
    insert into operation_file (id, project_id, destination, planned_bytes, source_count)
    select id, ${studioProject}, 'download', 0, 0 from made
    returning id`);
  const workflow = await one(sql`
    insert into workflow (owner_id, trigger, name, description, steps, is_enabled, is_logging)
    values (${user.id}, 'AssetCreate', ${named('workflow')}, ${named('about')}, '[]', true, true)
    returning id`);
  const workflowRun = await one(sql`
    insert into workflow_run (id, run_id, attempt, workflow_id, asset_id, depth, result, is_logged,
      created_at, finished_at)
    select id, id, 1, ${workflow}, ${asset}, 0, 'error', true, now(), now()
    from gen_random_uuid() id returning id`);
  return {
    faceAsset: asset,
    second,
    album,
    person: person.id,
    otherPerson: other.id,
    face,
    tag,
    stack,
    pet,
    otherPet,
    observation,
    document: paper,
    video,
    moment,
    frame,
    link,
    activity,
    device,
    metadataChange,
    operation,
    moveIn,
    upload,
    session,
    apiKey,
    savedSearch,
    correction,
    duplicate,
    notification,
    memory,
    memoryExport,
    studioProject,
    studioPreview,
    studioStream,
    studioExport,
    workflow,
    workflowRun,
  };
}
