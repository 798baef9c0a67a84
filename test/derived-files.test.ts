import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULTS } from '../src/areas/system-config/index.ts';
import { handleExportArchive } from '../src/areas/memories/exports/archive.handlers.ts';
import { handleCleanExports } from '../src/areas/memories/clean.handlers.ts';
import { handleRenderPerson } from '../src/areas/people/thumbnail/thumbnail.handlers.ts';
import { handleMakeOverview } from '../src/areas/studio/sources/overview.handlers.ts';
import { unconnectedApp } from './contract/report.ts';
import { configWith } from './support/config.ts';
import { addBeeps } from './support/film-sounds.ts';
import { runEffect } from './support/films.ts';
import { call, type Caller, seed, send, type TestUser } from './support/harness.ts';
import { addLink } from './support/household.ts';
import { addMemory } from './support/memories.ts';
import { addFace, addPerson } from './support/people.ts';
import { jobCtx } from './support/processing.ts';
import { openStudio, type Studio } from './support/studio.ts';

/** Operations that answer with files that no asset is in, or all: for administrators, and for copies of a library. */
const WITHOUT_ASSETS = [
  'getProfileImage',
  'getIntegrityReportCsv',
  'getIntegrityReportFile',
  'getMoveInReport',
  'downloadLogs',
  'downloadDatabaseBackup',
  'getSyncStream',
];

type Request = {
  readonly route: `${'GET' | 'POST'} /${string}`;
  readonly body?: object;
  /** Also for owners without the PIN while the asset is in the trash, where they see it. */
  readonly isInTrash?: true;
};

let studio: Studio;
let owner: TestUser;
let partner: TestUser;
/** An item that stays, and what is made of it. */
let other: { readonly id: string; readonly files: Record<string, Request> };
beforeAll(async () => {
  studio = await openStudio();
  const admin = await seed(studio.database).user(['all'], { isAdmin: true });
  const realtime = { ...DEFAULTS.ffmpeg.realtime, enabled: true };
  const body = configWith({ ffmpeg: { realtime } });
  const { status } = await call(studio.app, 'PUT /system-config', { as: admin, body });
  expect(status).toBe(200);
  owner = await seed(studio.database).user();
  partner = await seed(studio.database).user();
  await studio.database
    .sql`insert into partner (sharer_id, viewer_id) values (${owner.id}, ${partner.id})`;
  other = await addVideo(3);
  Object.assign(other.files, await makeComposites([other.id]));
});
afterAll(() => studio.close());

const request = async (as: TestUser, route: `${'GET' | 'POST'} /${string}`, body?: object) => {
  const reply = await call(studio.app, route, { as, ...(body && { body }) });
  expect([route, reply.status < 300]).toEqual([route, true]);
  return reply.body;
};

/** Writes a picture into the derived folder. */
async function writePicture(name: string): Promise<number> {
  const path = join(studio.database.deps.paths.derived, name);
  const { default: sharp } = await import('sharp');
  const create = { width: 400, height: 400, channels: 3, background: '#804020' } as const;
  const bytes = await sharp({ create }).jpeg().toBuffer();
  await mkdir(dirname(path), { recursive: true });
  return Bun.write(path, bytes);
}

/** Adds a video with pictures, frame and face. Returns what is made of it alone. */
async function addVideo(seconds: number): Promise<{ id: string; files: Record<string, Request> }> {
  const { database } = studio;
  const { sql } = database;
  const id = await addBeeps(studio, owner.id, { seconds });
  for (const kind of ['thumbnail', 'preview']) {
    const size = await writePicture(`${id}-${kind}.jpg`);
    await sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${id}, ${kind}, ${`${id}-${kind}.jpg`}, 'image/jpeg', ${size}, 't')`;
  }
  const frame = Bun.randomUUIDv7();
  const size = await writePicture(`${frame}.jpg`);
  await sql`insert into video_frame
      (id, asset_id, at_ms, start_ms, end_ms, rank, score, source, name, size, tag)
    values (${frame}, ${id}, 0, 0, 1000, 1, 1, 'x', ${`${frame}.jpg`}, ${size}, 't')`;
  const person = await addPerson(database, { ownerId: owner.id, name: 'Ann' });
  await addFace(database, { ownerId: owner.id, personId: person.id, assetId: id });
  await runEffect(database, handleRenderPerson(jobCtx(database), { personId: person.id }));
  const [asset] = await sql`select encode(sha256, 'hex') as sha256 from asset where id = ${id}`;
  await handleMakeOverview(jobCtx(database), { sha256: asset!['sha256'] as string });
  const [file] = await request(owner, `GET /asset-files?assetId=${id}`);
  const files: Record<string, Request> = {
    viewAsset: { route: `GET /assets/${id}/thumbnail`, isInTrash: true },
    downloadAsset: { route: `GET /assets/${id}/original`, isInTrash: true },
    playAssetVideo: { route: `GET /assets/${id}/video/playback`, isInTrash: true },
    getSegment: {
      route: `GET /assets/${id}/video/stream/${crypto.randomUUID()}/0/seg_0.m4s`,
      isInTrash: true,
    },
    downloadAssetFile: { route: `GET /asset-files/${file.id}/download`, isInTrash: true },
    getVideoFrame: { route: `GET /enrichment/frames/${frame}`, isInTrash: true },
    getPersonThumbnail: { route: `GET /people/${person.id}/thumbnail` },
    getStudioSourceStrip: { route: `GET /studio/sources/${id}/strip` },
    downloadArchive: { route: 'POST /download/archive', body: { assetIds: [id] }, isInTrash: true },
    downloadSidecarArchive: {
      route: 'POST /download/archive-with-sidecars',
      body: { assetIds: [id] },
      isInTrash: true,
    },
    getVideoCaptions: { route: `GET /enrichment/videos/${id}/captions.vtt`, isInTrash: true },
  };
  return { id, files };
}

/** Makes of the assets what is made of several. */
async function makeComposites(ids: readonly string[]): Promise<Record<string, Request>> {
  const { database } = studio;
  const memory = await addMemory(database, { ownerId: owner.id, type: 'custom', name: 'x' }, ids);
  const archive = await request(owner, `POST /memories/${memory}/exports`, { kind: 'archive' });
  await runEffect(database, handleExportArchive(jobCtx(database), { operationId: archive.id }));
  const { id, revision } = await studio.makeProject(owner, ids, 1);
  const film = await request(owner, `POST /studio/projects/${id}/exports`, {
    revision,
    destination: 'download',
  });
  await studio.export(film.id);
  const { preview, operationId } = await request(owner, 'POST /studio/previews', {
    projectId: id,
    revision,
    time: { numerator: 1, denominator: 2 },
    quality: 'draft',
    viewport: { width: 64, height: 64 },
  });
  await studio.render(operationId);
  const sound = `revisions/${revision}/sound?numerator=0&denominator=1&format=webm`;
  return {
    downloadMemoryExport: { route: `GET /memories/exports/${archive.id}/download` },
    getStudioExportFile: { route: `GET /studio/exports/${film.id}/file` },
    getStudioPreviewFrame: { route: `GET /studio/previews/${preview.id}/frame` },
    playStudioSound: { route: `GET /studio/projects/${id}/${sound}` },
  };
}

/** Returns the names of the operations that answer with a file. */
async function listServed(files: Record<string, Request>, caller: Caller, query = '') {
  const served: string[] = [];
  for (const [name, { route, body }] of Object.entries(files)) {
    const whole = `${route}${query && (route.includes('?') ? '&' : '?')}${query}` as typeof route;
    const reply = await send(studio.app, whole, { ...caller, ...(body && { body }) });
    if (reply.status < 400) served.push(name);
    await reply.body?.cancel();
  }
  return served;
}

const listOperations = () =>
  unconnectedApp()
    .routes.filter(({ hooks }) => /"format":"binary"/.test(JSON.stringify(hooks.response ?? '')))
    .map(({ hooks }) => String(hooks.detail?.operationId));

/** By how an item goes: the request, and its length, since no two are the same. */
const WAYS: Readonly<Record<string, readonly [seconds: number, route: string, body?: object]>> = {
  locked: [2, 'POST /assets/lock'],
  trashed: [4, 'DELETE /assets'],
  deleted: [5, 'DELETE /assets', { force: true }],
};

test.each(Object.keys(WAYS))(
  'no file shows an item that is %s, and the others are served',
  async (way) => {
    const [seconds, route, options] = WAYS[way]!;
    const { database, app } = studio;
    const gone = await addVideo(seconds);
    const slug = crypto.randomUUID();
    await addLink(database, { ownerId: owner.id, slug }, [gone.id, other.id]);
    const files = { ...gone.files, ...(await makeComposites([gone.id, other.id])) };
    const all = Object.keys(files);
    expect(all.length).toBeGreaterThan(12);
    expect([...all, ...WITHOUT_ASSETS].toSorted()).toEqual(listOperations().toSorted());
    const owners = [{ as: owner }, { session: owner }];
    for (const caller of owners) expect(await listServed(files, caller)).toEqual(all);
    expect(await listServed(files, { session: partner })).toContain('downloadAsset');
    expect(await listServed(files, {}, `slug=${slug}`)).toContain('downloadArchive');

    const body = { ids: [gone.id], ...options };
    expect((await call(app, route as 'POST /x', { session: owner, body })).status).toBe(204);
    const left = way === 'trashed' ? all.filter((name) => files[name]!.isInTrash) : [];
    for (const caller of owners) expect(await listServed(files, caller)).toEqual(left);
    for (const as of [partner, await seed(database).user(['all'], { isAdmin: true })])
      expect(await listServed(files, { session: as })).toEqual([]);
    expect(await listServed(files, {}, `slug=${slug}`)).toEqual([]);
    await handleCleanExports(jobCtx(database), {});
    await studio.clean(0);
    for (const caller of owners) expect(await listServed(other.files, caller)).toEqual(all);
  },
);
