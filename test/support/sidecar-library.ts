import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { App } from '../../src/app.ts';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import {
  handlePlanSidecars,
  handleWriteSidecars,
} from '../../src/areas/libraries/sidecars/sidecars.handlers.ts';
import { saveConfig } from '../../src/areas/system-config/config.domain.ts';
import { quarters } from '../fixtures/index.ts';
import { call, seed, type TestDatabase, testApp, testDatabase, type TestUser } from './harness.ts';
import type { Json } from './json.ts';
import { addLibrary, makeFolder, scan } from './libraries.ts';
import { jobCtx } from './processing.ts';

/** A sidecar of digiKam and darktable. */
export const FOREIGN = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:darktable="http://darktable.sf.net/"
  xmlns:digiKam="http://www.digikam.org/ns/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
  xmp:Rating="1" darktable:auto_presets_applied="1" exif:GPSAltitude="90/1">
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">theirs</rdf:li><rdf:li xml:lang="de">ihres</rdf:li></rdf:Alt></dc:description>
<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>
<dc:subject><rdf:Bag><rdf:li>Lisbon</rdf:li></rdf:Bag></dc:subject>
<digiKam:TagsList><rdf:Seq><rdf:li>Places/Lisbon</rdf:li></rdf:Seq></digiKam:TagsList>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

let database: TestDatabase;
let app: App;
let admin: TestUser;
let me: TestUser;
let folder: string;
let libraryId: string;

/** Opens an external library for each test, whose sidecars are written. */
export function useSidecarLibrary(): void {
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
    admin = await seed(database).user(['all'], { isAdmin: true });
  });
  afterAll(async () => {
    await database.close();
  });
  beforeEach(async () => {
    await database.sql`truncate job, sidecar_change, library cascade`;
    await setWanted(true);
    me = await seed(database).user();
    folder = await makeFolder();
    libraryId = await addLibrary(app, admin, me.id, [folder]);
  });
}

export const getLibrary = () => ({ database, app, me, folder });

export const setWanted = (writeSidecars: boolean) =>
  saveConfig(database.db, { libraries: { folders: [], writeSidecars } }, database.deps.now());

export const run = () => scan(database, app, admin, libraryId);

/** Runs the waiting jobs that read metadata. Returns their number. */
export async function readMetadata(): Promise<number> {
  const jobs = await database.sql`
    delete from job where name = 'assets.readMetadata' returning payload ->> 'assetId' as id`;
  for (const { id } of jobs) {
    const effect = await handleReadMetadata(jobCtx(database), { assetId: id });
    if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
  }
  return jobs.length;
}

/** Adds photos to the folder and takes them in. Returns their ids by name. */
export async function takeIn(...names: readonly string[]): Promise<Record<string, string>> {
  for (const [index, name] of names.entries()) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(
      join(folder, name),
      await quarters(60 + index * 10, 40)
        .jpeg()
        .toBuffer(),
    );
  }
  await run();
  await readMetadata();
  const rows = await database.sql`
    select id, substr(folder || '/' || file_name, ${folder.length + 2}::int) as name from asset
    where library_id = ${libraryId}`;
  return Object.fromEntries(rows.map(({ id, name }) => [name, id]));
}

/** Runs the jobs that write sidecars, as at this time. Returns the number of libraries that had changes. */
export async function write(now = database.deps.now): Promise<number> {
  const ctx = jobCtx(database, { now });
  const plan = await handlePlanSidecars(ctx, {});
  if (plan) await database.db.transaction(async (tx) => void (await plan(tx)));
  const jobs = await database.sql`
    delete from job where name = 'libraries.writeSidecars'
    returning payload ->> 'libraryId' as id`;
  for (const { id } of jobs) await handleWriteSidecars(ctx, { libraryId: id });
  return jobs.length;
}

export const update = async (id: string, body: object): Promise<void> => {
  const { status } = await call(app, `PUT /assets/${id}`, { as: me, body });
  expect(status).toBe(200);
};

export async function addTags(id: string, ...tags: readonly string[]): Promise<void> {
  const made = await call(app, 'PUT /tags', { as: me, body: { tags } });
  const tagIds = made.body.map((tag: { id: string }) => tag.id);
  const body = { tagIds, assetIds: [id] };
  expect((await call(app, 'PUT /tags/assets', { as: me, body })).status).toBe(200);
}

/** Returns the tags that ExifTool reads from a sidecar. */
export async function readTags(name: string): Promise<Json> {
  const program = Bun.spawn(['exiftool', '-j', '-n', '-G1', '-struct', join(folder, name)]);
  return (await new Response(program.stdout).json())[0];
}

export const listFiles = async () => (await readdir(folder, { recursive: true })).toSorted();
export const getState = async () =>
  (await call(app, `GET /libraries/${libraryId}/state`, { as: admin })).body;
