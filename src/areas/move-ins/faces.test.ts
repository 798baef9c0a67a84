import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { handleNameFaces } from './faces.handlers.ts';
import { listNamedFaces } from './faces.ts';
import { insertFaces } from './faces.store.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user(['all']);
  await database.sql`delete from move_in_face`;
});

const BOX = { x1: 0.1, y1: 0.1, x2: 0.3, y2: 0.4 };
const FAR = { x1: 0.6, y1: 0.6, x2: 0.8, y2: 0.9 };
const MACHINE = { isDrawn: false, birthDate: null };
const name = () => handleNameFaces(jobCtx(database), {});
const addUnnamed = async (box: object = BOX, over: object = {}) => {
  const person = await addPerson(database, { ownerId: me.id, ...over });
  const { assetId } = await addFace(database, { ownerId: me.id, personId: person.id, ...box });
  return { id: person.id, assetId };
};
const save = (assetId: string, faceName: string, box = BOX) =>
  insertFaces(database.db, [{ assetId, name: faceName, ...MACHINE, ...box }]);
const readName = async (id: string) => (await call(app, `GET /people/${id}`, { as: me })).body.name;
const countWaiting = async () => (await database.sql`select from move_in_face`).length;

describe('a person gets the name of the other server', () => {
  test('where exactly one face overlaps, once', async () => {
    const { id, assetId } = await addUnnamed();
    await save(assetId, 'Ada', { ...BOX, x2: 0.31 });
    await name();
    expect(await readName(id)).toBe('Ada');
    expect(await countWaiting()).toBe(0);
  });

  test('as soon as its face has a person', async () => {
    const { assetId, id: faceId } = await addFace(database, { ownerId: me.id });
    await save(assetId, 'Ada');
    await name();
    expect(await countWaiting()).toBe(1);
    const person = await addPerson(database, { ownerId: me.id });
    await database.sql`update face set person_id = ${person.id} where id = ${faceId}`;
    await name();
    expect(await readName(person.id)).toBe('Ada');
  });
});

describe('a person keeps what it has', () => {
  test('with a name of its own', async () => {
    const { id, assetId } = await addUnnamed(BOX, { name: 'Mine' });
    await save(assetId, 'Ada');
    await name();
    expect(await readName(id)).toBe('Mine');
  });

  test('where the boxes hardly overlap', async () => {
    const { id, assetId } = await addUnnamed();
    await save(assetId, 'Ada', FAR);
    await save(assetId, 'Bob', { ...BOX, x1: 0.2 });
    await name();
    expect(await readName(id)).toBe('');
  });

  test('where two faces overlap, or two names', async () => {
    const one = await addUnnamed();
    const twin = await addPerson(database, { ownerId: me.id });
    await addFace(database, {
      ownerId: me.id,
      assetId: one.assetId,
      personId: twin.id,
      ...BOX,
      y2: 0.41,
    });
    await save(one.assetId, 'Ada');
    const other = await addUnnamed();
    await save(other.assetId, 'Bob');
    await save(other.assetId, 'Eve');
    await name();
    for (const id of [one.id, twin.id, other.id]) expect(await readName(id)).toBe('');
  });

  test('where its faces have different names', async () => {
    const { id, assetId } = await addUnnamed();
    const second = await addFace(database, { ownerId: me.id, personId: id });
    await save(assetId, 'Ada');
    await save(second.assetId, 'Bob');
    await name();
    expect(await readName(id)).toBe('');
  });

  test('while its photo is locked or in the trash', async () => {
    for (const change of [database.sql`locked_at = now()`, database.sql`trashed_at = now()`]) {
      const { id, assetId } = await addUnnamed();
      await database.sql`update asset set ${change} where id = ${assetId}`;
      await save(assetId, 'Ada');
      await name();
      const [row] = await database.sql`select name from person where id = ${id}`;
      expect(row?.['name']).toBe('');
    }
  });
});

test('faces are edges of the picture; hidden people, boxes that are none and empty names are left out', () => {
  const face = {
    boundingBoxX1: 100,
    boundingBoxY1: 100,
    boundingBoxX2: 300,
    boundingBoxY2: 400,
    imageWidth: 1000,
    imageHeight: 1000,
  };
  const people = [
    { name: ' Ada\0 ', faces: [face] },
    { name: 'Bob', isHidden: true, faces: [face] },
    { name: '', faces: [face] },
    { name: 'Eve', faces: [{ ...face, imageWidth: 0 }] },
    { name: 'Max', faces: [{ ...face, boundingBoxX2: 100 }] },
    { name: 'Tim' },
  ];
  const date = '2024-01-01T00:00:00.000Z';
  const asset = {
    id: 'x',
    ownerId: 'x',
    type: 'IMAGE',
    originalFileName: 'a.jpg',
    checksum: '',
    fileCreatedAt: date,
    localDateTime: date,
    isFavorite: false,
    people,
  };
  expect(listNamedFaces('id', asset)).toEqual([{ assetId: 'id', name: 'Ada', ...MACHINE, ...BOX }]);
});
