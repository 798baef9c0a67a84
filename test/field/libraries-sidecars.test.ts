import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { handleFindSidecars } from '../../src/areas/libraries/intake/intake.handlers.ts';
import { quarters } from '../fixtures/index.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, runLibraryJobs, scan } from '../support/libraries.ts';
import { jobCtx } from '../support/processing.ts';

// XMP files beside the photos of an external library that go away, are renamed or come back.

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  await database.sql`truncate job cascade`;
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const xmp = (description: string, tags: readonly string[] = []) => `<x:xmpmeta
  xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
    xmp:Rating="4" exif:DateTimeOriginal="2011-02-03T04:05:06">
  <dc:description><rdf:Alt><rdf:li xml:lang="x-default">${description}</rdf:li></rdf:Alt></dc:description>
  <dc:subject><rdf:Bag>${tags.map((tag) => `<rdf:li>${tag}</rdf:li>`).join('')}</rdf:Bag></dc:subject>
  </rdf:Description></rdf:RDF></x:xmpmeta>`;

/** A photo with a description, stars and keywords of its own. */
async function writePhoto(name: string, ...keywords: string[]): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, await quarters(40, 30).jpeg().toBuffer());
  const words = keywords.map((word) => `-Keywords=${word}`);
  const own = [
    '-ImageDescription=own',
    '-XMP-xmp:Rating=2',
    '-DateTimeOriginal=2020:01:02 03:04:05',
  ];
  await Bun.$`exiftool -q -overwrite_original ${own} ${words} ${path}`.quiet();
  await utimes(path, 1_700_000_000, 1_700_000_000);
}
const write = (name: string, text: string) => writeFile(join(folder, name), text);

async function runJobs(): Promise<void> {
  await runLibraryJobs(database);
  for (;;) {
    const [job] = await database.sql`
      delete from job where id = (select id from job
        where name in ('assets.readMetadata', 'assets.findSidecars') order by id limit 1)
      returning name, payload`;
    if (!job) return;
    const handle = job['name'] === 'assets.findSidecars' ? handleFindSidecars : handleReadMetadata;
    const effect = await handle(jobCtx(database), job['payload'] as never);
    if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}
async function run(): Promise<void> {
  await scan(database, app, admin, id);
  await runJobs();
}
const find = async (name: string): Promise<string> =>
  (await database.sql`select id from asset where library_id = ${id} and file_name = ${name}`)[0]![
    'id'
  ];
async function read(name: string) {
  const { body } = await call(app, `GET /assets/${await find(name)}`, { as: me });
  const { description, rating } = body.exifInfo;
  const tags = body.tags.map(({ value }: { value: string }) => value).sort();
  return [body.localDateTime.slice(0, 10), description, rating, tags.join()];
}
const OWN = ['2020-01-02', 'own', 2, 'sea'];

test('450: an XMP file that is deleted takes its date, text, stars and tags along', async () => {
  for (const name of ['a.jpg', 'b.jpg']) await writePhoto(name, 'sea');
  await write('a.jpg.xmp', xmp('beside', ['sea', 'boat']));
  await write('b.xmp', xmp('beside', ['sea', 'boat']));
  await run();
  expect(await read('a.jpg')).toEqual(['2011-02-03', 'beside', 4, 'boat,sea']);
  await rm(join(folder, 'a.jpg.xmp'));
  await run();
  expect([await read('a.jpg'), await read('b.jpg')]).toEqual([
    OWN,
    ['2011-02-03', 'beside', 4, 'boat,sea'],
  ]);
});

test('451: an XMP file that is renamed away takes its values along, and brings them to the photo of its new name', async () => {
  for (const name of ['a.jpg', 'b.jpg']) await writePhoto(name, 'sea');
  await write('a.xmp', xmp('beside'));
  await run();
  await rename(join(folder, 'a.xmp'), join(folder, 'b.jpg.xmp'));
  await run();
  expect(await read('a.jpg')).toEqual(OWN);
  expect((await read('b.jpg')).slice(0, 3)).toEqual(['2011-02-03', 'beside', 4]);
  await rename(join(folder, 'b.jpg.xmp'), join(folder, 'b.jpg.xmp.bak'));
  await run();
  expect(await read('b.jpg')).toEqual(OWN);
});

test('452: an XMP file that is given the other of its names keeps all', async () => {
  await writePhoto('a.jpg', 'sea');
  await write('a.xmp', xmp('beside', ['boat']));
  await run();
  await rename(join(folder, 'a.xmp'), join(folder, 'a.jpg.xmp'));
  await run();
  expect(await read('a.jpg')).toEqual(['2011-02-03', 'beside', 4, 'boat']);
});

test('453: of two XMP files of a photo the other counts once the first is gone', async () => {
  await writePhoto('a.jpg');
  await write('a.jpg.xmp', xmp('first'));
  await write('a.xmp', xmp('second'));
  await run();
  expect((await read('a.jpg'))[1]).toBe('first');
  await rm(join(folder, 'a.jpg.xmp'));
  await run();
  expect((await read('a.jpg'))[1]).toBe('second');
});

test('454: what people have written stays when the XMP file goes', async () => {
  await writePhoto('a.jpg', 'sea');
  await write('a.jpg.xmp', xmp('beside', ['sea', 'boat']));
  await run();
  const assetId = await find('a.jpg');
  await call(app, `PUT /assets/${assetId}`, { as: me, body: { description: 'mine', rating: 5 } });
  await call(app, 'PUT /tags', { as: me, body: { tags: ['harbour'] } });
  const [tag] =
    await database.sql`select id from tag where owner_id = ${me.id} and value = 'harbour'`;
  await call(app, `PUT /tags/${tag!['id']}/assets`, { as: me, body: { ids: [assetId] } });
  await rm(join(folder, 'a.jpg.xmp'));
  await run();
  expect(await read('a.jpg')).toEqual(['2020-01-02', 'mine', 5, 'harbour,sea']);
});

test('455: a disk that is away takes nothing along, nor does it when it comes back', async () => {
  await writePhoto('a.jpg', 'sea');
  await write('a.jpg.xmp', xmp('beside', ['boat']));
  await run();
  await rename(folder, `${folder}-disk`);
  await mkdir(folder);
  await run();
  expect((await read('a.jpg'))[1]).toBe('beside');
  await rm(folder, { recursive: true });
  await rename(`${folder}-disk`, folder);
  await run();
  expect(await read('a.jpg')).toEqual(['2011-02-03', 'beside', 4, 'boat']);
  // Without its XMP file.
  await rename(folder, `${folder}-disk`);
  await mkdir(folder);
  await run();
  await rm(folder, { recursive: true });
  await rename(`${folder}-disk`, folder);
  await rm(join(folder, 'a.jpg.xmp'));
  await run();
  expect((await read('a.jpg')).slice(0, 3)).toEqual(OWN.slice(0, 3));
});

test('456: refresh reads what lies beside the photo now, without a scan', async () => {
  await writePhoto('a.jpg', 'sea');
  await run();
  const ids = [await find('a.jpg')];
  const refresh = async (as: TestUser) => {
    const body = { assetIds: ids, name: 'refresh-metadata' };
    const { status } = await call(app, 'POST /assets/jobs', { as, body });
    await runJobs();
    return status;
  };
  await write('a.jpg.xmp', xmp('beside'));
  expect(await refresh(await seed(database).user())).toBe(400);
  expect((await read('a.jpg'))[1]).toBe('own');
  expect(await refresh(me)).toBe(204);
  expect((await read('a.jpg')).slice(0, 3)).toEqual(['2011-02-03', 'beside', 4]);
  await rm(join(folder, 'a.jpg.xmp'));
  expect(await refresh(me)).toBe(204);
  expect(await read('a.jpg')).toEqual(OWN);
});

test('457: a pattern that leaves out XMP files takes their values along, and they come back', async () => {
  await writePhoto('a.jpg', 'sea');
  await write('a.jpg.xmp', xmp('beside'));
  await run();
  const change = async (exclusionPatterns: string[]) => {
    await call(app, `PUT /libraries/${id}`, { as: admin, body: { exclusionPatterns } });
    await runJobs();
  };
  await change(['**/*.xmp']);
  expect((await read('a.jpg')).slice(0, 3)).toEqual(OWN.slice(0, 3));
  await change([]);
  expect((await read('a.jpg')).slice(0, 3)).toEqual(['2011-02-03', 'beside', 4]);
});

test('458: an XMP file that is emptied, as by an editor on a full disk, is not taken for deleted', async () => {
  await writePhoto('a.jpg', 'sea');
  await write('a.jpg.xmp', xmp('beside'));
  await run();
  await write('a.jpg.xmp', '');
  await run();
  const body = { assetIds: [await find('a.jpg')], name: 'refresh-metadata' };
  await call(app, 'POST /assets/jobs', { as: me, body });
  await runJobs();
  expect((await read('a.jpg')).slice(0, 3)).toEqual(['2011-02-03', 'beside', 4]);
  await rm(join(folder, 'a.jpg.xmp'));
  await run();
  expect((await read('a.jpg')).slice(0, 3)).toEqual(OWN.slice(0, 3));
});
