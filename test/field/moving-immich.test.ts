import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { findAccountSession } from '../../src/access/account-session.ts';
import {
  createImmichClient,
  importFromImmich,
  type ImportNote,
} from '../../src/areas/imports/index.ts';
import { handleImportFaces } from '../../src/areas/faces/import.handlers.ts';
import { handleNameFaces } from '../../src/areas/move-ins/faces.handlers.ts';
import { keepNamedFaces } from '../../src/areas/move-ins/index.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { useApp } from '../support/database.ts';
import {
  type FakeImmich,
  type FakeImmichOptions,
  startFakeImmich,
} from '../support/fake-immich.ts';
import { call, createCtx, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { addFace, addPerson } from '../support/people.ts';
import { drainLane, jobCtx } from '../support/processing.ts';

// From a server of Immich: README.md has the public threads.

setDefaultTimeout(120_000);

const { app, database } = await useApp();
let me: TestUser;
let immich: FakeImmich | undefined;
beforeEach(async () => {
  me = await seed(database).user(['all']);
  await database.sql`truncate job`;
  await database.sql`delete from move_in_face`;
});
afterEach(() => immich?.stop());

const get = async (path: string): Promise<Json> =>
  (await call(app, `GET ${path}` as 'GET /albums', { as: me })).body;

/** Takes the account in as the command does. Returns the report and what it lists. */
async function run(options: FakeImmichOptions = {}, isDryRun = false) {
  immich ??= await startFakeImmich(options);
  const ctx = createCtx(database, (await findAccountSession(database.db, me.id))!);
  const client = createImmichClient({ address: immich.url, key: immich.key });
  const notes: ImportNote[] = [];
  const faces = keepNamedFaces(database.db);
  const events = {
    onProgress: () => {},
    onRefused: () => {},
    onNoted: (note: ImportNote) => void notes.push(note),
    onItem: faces.add,
  };
  const report = await importFromImmich(ctx, { ownerId: me.id, client }, { isDryRun }, events);
  await faces.finish();
  return { report, notes };
}
beforeEach(() => {
  immich = undefined;
});

const ROMES = [
  { members: ['a.jpg'], body: { albumName: 'Rome', description: 'Spring' } },
  { members: ['b.jpg', 'c.jpg'], body: { albumName: 'Rome', description: '' } },
];
const listAlbums = async () =>
  (await get('/albums'))
    .map((album: Json) => [album.albumName, album.description, album.assetCount])
    .sort();

test('490: two albums of one title stay two, with their descriptions, at each run', async () => {
  await run({ listed: ROMES });
  const expected = [
    ['Rome', '', 2],
    ['Rome', 'Spring', 1],
  ];
  expect(await listAlbums()).toEqual(expected);
  expect((await run()).report).toMatchObject({ taken: 0, albumItems: 0 });
  expect(await listAlbums()).toEqual(expected);
});

test('501: two accounts here that take in the same account each have albums and people of their own', async () => {
  const people = { 'a.jpg': [{ name: 'Ada', birthDate: '1990-05-17', faces: [DRAWN] }] };
  await run({ listed: ROMES, people });
  await settle();
  const [first, expected] = [me, await listAlbums()];
  me = await seed(database).user(['all']);
  expect([await listAlbums(), await listPeople()]).toEqual([[], []]);
  expect((await run()).report).toMatchObject({ taken: 3, albums: 2 });
  expect([await listAlbums(), await listPeople()]).toEqual([expected, []]);
  me = first;
  expect([await listAlbums(), await listPeople()]).toEqual([expected, [['Ada', '1990-05-17']]]);
});

const box = { boundingBoxX1: 10, boundingBoxY1: 10, boundingBoxX2: 30, boundingBoxY2: 40 };
const FACE = { ...box, imageWidth: 100, imageHeight: 100, sourceType: 'machine-learning' };
const DRAWN = { ...FACE, sourceType: 'manual' };
/** The pictures are there, and the jobs of people run. */
async function settle() {
  await database.sql`update asset set width = 100, height = 100 where owner_id = ${me.id}`;
  await handleNameFaces(jobCtx(database), {});
  await drainLane(database, 'background', {
    'faces.import': handleImportFaces,
    'moveIns.nameFaces': handleNameFaces,
  } as HandlersByLane<'background'>);
}
const listPeople = async () =>
  (await get('/people')).people.map((person: Json) => [person.name, person.birthDate]).sort();
const findAsset = async (name: string): Promise<string> => {
  const [row] = await database.sql`
    select id from asset where owner_id = ${me.id} and file_name = ${name}`;
  return row!['id'];
};

test('491: a person of a face that somebody has drawn comes, with the birth date and the face', async () => {
  const ada = { name: 'Ada', birthDate: '1990-05-17', faces: [DRAWN] };
  await run({ people: { 'a.jpg': [ada], 'b.jpg': [{ ...ada, isHidden: true, name: 'Hidden' }] } });
  await settle();
  expect(await listPeople()).toEqual([['Ada', '1990-05-17']]);
  const faces = await get(`/faces?id=${await findAsset('a.jpg')}`);
  expect(faces).toMatchObject([{ ...box, imageWidth: 100, person: { name: 'Ada' } }]);
  // Another run adds no other face, and what the owner changes stays.
  await database.sql`update person set birth_date = '1991-01-01' where owner_id = ${me.id}`;
  await run();
  await settle();
  expect(await listPeople()).toEqual([['Ada', '1991-01-01']]);
  expect(await get(`/faces?id=${await findAsset('a.jpg')}`)).toHaveLength(1);
});

test('492: a drawn face waits for the one that a model finds of the same person', async () => {
  const ada = { name: 'Ada', birthDate: '1990-05-17' };
  await run({
    people: { 'a.jpg': [{ ...ada, faces: [FACE] }], 'b.jpg': [{ ...ada, faces: [DRAWN] }] },
  });
  await settle();
  expect(await listPeople()).toEqual([]);
  const person = await addPerson(database, { ownerId: me.id });
  const assetId = await findAsset('a.jpg');
  await addFace(database, { ownerId: me.id, assetId, personId: person.id });
  await settle();
  expect(await listPeople()).toEqual([['Ada', '1990-05-17']]);
  const faces = await get(`/faces?id=${await findAsset('b.jpg')}`);
  expect(faces).toMatchObject([{ person: { id: person.id } }]);
});

test('493: no face of a locked or trashed photo makes a person, and an odd birth date is none', async () => {
  const days = ['0000-00-00', '2026-02-30', '2999-01-01', 'soon'];
  const people = days.map((birthDate, at) => ({ name: `P${at}`, birthDate, faces: [DRAWN] }));
  await run({ people: { 'a.jpg': people, 'b.jpg': [{ name: 'L', faces: [DRAWN] }] } });
  await database.sql`update asset set locked_at = now() where id = ${await findAsset('b.jpg')}`;
  await settle();
  expect(await listPeople()).toEqual(days.map((_, at) => [`P${at}`, null]));
});

test('494: what stays behind is told by name: trash, links, saved memories, partners, members', async () => {
  const more = {
    '/shared-links': [
      { description: null, slug: null, album: { albumName: 'Rome' } },
      { description: 'For Eva', album: null },
    ],
    '/memories': [
      { memoryAt: '2020-05-01T00:00:00.000Z', isSaved: true },
      { memoryAt: '2021-05-01T00:00:00.000Z', isSaved: false },
    ],
    '/partners': [{ name: 'Eva' }],
  };
  const albumUsers = [
    { role: 'owner', user: { name: 'Me' } },
    { role: 'editor', user: { name: 'Eva' } },
  ];
  const listed = [
    { members: ['a.jpg'], body: { albumName: 'Shared', albumUsers } },
    { members: ['a.jpg'], body: { albumName: 'Alone', albumUsers: albumUsers.slice(0, 1) } },
  ];
  const expected = [
    { path: 'Shared', reasons: ['members'] },
    { path: 'Locked', reasons: ['locked_unseen'] },
    { path: 'gone.jpg', reasons: ['trashed_there'] },
    { path: 'Rome', reasons: ['link'] },
    { path: 'For Eva', reasons: ['link'] },
    { path: '2020-05-01', reasons: ['memory'] },
    { path: 'Eva', reasons: ['partner'] },
  ];
  const dry = await run({ more, listed, trashed: ['gone.jpg'] }, true);
  expect(dry.notes).toEqual(expected as ImportNote[]);
  const { report, notes } = await run();
  expect([notes, report.noted, report.taken]).toEqual([expected as ImportNote[], 7, 3]);
});

test('495: a key that may not list links and memories takes the rest in, and says so', async () => {
  const { notes, report } = await run();
  expect(report.taken).toBe(3);
  expect(notes.map(({ path, reasons }) => [path, ...reasons])).toEqual([
    ['Locked', 'locked_unseen'],
    ['Shared links', 'not_told'],
    ['Memories', 'not_told'],
    ['Partners', 'not_told'],
  ]);
});
