import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { handleImportFaces } from '../../src/areas/faces/import.handlers.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { configWith } from '../support/config.ts';
import { type FieldPhoto, useFieldPhotos } from '../support/field-photos.ts';
import { call, seed } from '../support/harness.ts';
import { addFace, addPerson } from '../support/people.ts';
import { drainLane } from '../support/processing.ts';
import type { Json } from '../support/json.ts';

// Faces that were named in other programs: README.md has the public threads.

const { app, database, get, read, show, state } = await useFieldPhotos();

const importFaces = (isOn: boolean) =>
  call(app, 'PUT /system-config', {
    as: state.me,
    body: configWith({ metadata: { faces: { import: isOn } } }),
  });
beforeAll(async () => {
  state.me = await seed(database).user(['all'], { isAdmin: true });
  expect((await importFaces(true)).status).toBe(200);
});
beforeEach(async () => {
  state.me = await seed(database).user(['all'], { isAdmin: true });
  await database.sql`truncate job`;
});

const drain = () =>
  drainLane(database, 'background', {
    'faces.import': handleImportFaces,
  } as HandlersByLane<'background'>);

type Face = readonly [name: string, left: number, top: number, right: number, bottom: number];

/** The faces of a photo with their edges in percent of the displayed picture, from left to right. */
async function listFaces(id: string): Promise<Face[]> {
  await drain();
  const percent = (part: number, of: number) => Math.round((100 * part) / of);
  return (await get(`/faces?id=${id}`)).map((face: Json) => [
    face.person?.name ?? '',
    percent(face.boundingBoxX1, face.imageWidth),
    percent(face.boundingBoxY1, face.imageHeight),
    percent(face.boundingBoxX2, face.imageWidth),
    percent(face.boundingBoxY2, face.imageHeight),
  ]);
}

type Region = { readonly name?: string; readonly type?: string; readonly area: readonly number[] };

/** Regions of the Metadata Working Group, by their middle. */
function regions(items: readonly Region[], [width, height] = [320, 200]): string {
  const list = items.map(
    ({ name, type = 'Face', area: [x, y, w, h] }) =>
      `<rdf:li rdf:parseType="Resource">${name === undefined ? '' : `<mwg-rs:Name>${name}</mwg-rs:Name>`}` +
      `<mwg-rs:Type>${type}</mwg-rs:Type><mwg-rs:Area stArea:x="${x}" stArea:y="${y}" stArea:w="${w}" ` +
      `stArea:h="${h}" stArea:unit="normalized"/></rdf:li>`,
  );
  return (
    `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions stDim:w="${width}" stDim:h="${height}" ` +
    `stDim:unit="pixel"/><mwg-rs:RegionList><rdf:Bag>${list.join('')}</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`
  );
}

/** Regions of Windows, by their corner. */
const rectangle = (name: string, corner: string) =>
  `<MP:RegionInfo rdf:parseType="Resource"><MPRI:Regions><rdf:Bag><rdf:li rdf:parseType="Resource">` +
  `<MPReg:Rectangle>${corner}</MPReg:Rectangle><MPReg:PersonDisplayName>${name}</MPReg:PersonDisplayName>` +
  `</rdf:li></rdf:Bag></MPRI:Regions></MP:RegionInfo>`;

const ANNA = { name: 'Anna', area: [0.25, 0.25, 0.2, 0.3] };
const ANNA_FACE: Face = ['Anna', 15, 10, 35, 40];

test.each<[string, FieldPhoto, Face[]]>([
  ['180: a face by its middle, in a sidecar', { sidecar: regions([ANNA]) }, [ANNA_FACE]],
  [
    '181: a photo that is turned',
    { tags: ['-Orientation#=6'], sidecar: regions([ANNA]) },
    [['Anna', 60, 15, 90, 35]],
  ],
  [
    '182: faces cut at the edges',
    {
      xmp: regions([
        { name: 'Berta', area: [0.05, 0.5, 0.2, 0.3] },
        { name: 'Carl', area: [0.95, 0.95, 0.2, 0.2] },
      ]),
    },
    [
      ['Berta', 0, 35, 15, 65],
      ['Carl', 85, 85, 100, 100],
    ],
  ],
  [
    '183: a program that measured the turned picture',
    { tags: ['-Orientation#=6'], xmp: regions([ANNA], [200, 320]) },
    [ANNA_FACE],
  ],
  ['184: a face of Windows', { xmp: rectangle('Anna', '0.15, 0.1, 0.2, 0.3') }, [ANNA_FACE]],
  [
    '185: one face in both forms',
    { xmp: regions([ANNA]) + rectangle('Anna', '0.15, 0.1, 0.2, 0.3') },
    [ANNA_FACE],
  ],
  [
    '186: what is no face, and faces without a name',
    {
      xmp: regions([
        { name: 'Rex', type: 'Pet', area: [0.8, 0.8, 0.2, 0.2] },
        { type: 'Focus', area: [0.5, 0.5, 0.1, 0.1] },
        { area: [0.6, 0.25, 0.1, 0.1] },
        { name: 'Nobody', area: [0.6, 0.25, 0, 0] },
        ANNA,
      ]),
    },
    [ANNA_FACE],
  ],
])('%s', async (_, photo, expected) => {
  expect(await listFaces((await show(photo)).id)).toEqual(expected);
});

test('187: one name is one person, however often it is read', async () => {
  const first = await show({ xmp: regions([ANNA]) });
  const second = await show({ sidecar: regions([ANNA]) });
  await listFaces(first.id);
  await read(first.id);
  expect([await listFaces(first.id), await listFaces(second.id)]).toEqual([
    [ANNA_FACE],
    [ANNA_FACE],
  ]);
  expect((await get('/people')).people.map(({ name }: { name: string }) => name)).toEqual(['Anna']);
});

test('188: a face that was found before gets the name, and one that the owner has named keeps it', async () => {
  const { id } = await show({
    xmp: regions([
      ANNA,
      { name: 'Bob', area: [0.7, 0.25, 0.2, 0.3] },
      { name: 'Cleo', area: [0.9, 0.25, 0.1, 0.3] },
    ]),
  });
  const at = { ownerId: state.me.id, assetId: id, y1: 0.1, y2: 0.4 };
  const mine = await addPerson(database, { ownerId: state.me.id, name: 'Robert' });
  await addFace(database, { ...at, x1: 0.16, x2: 0.36 });
  await addFace(database, { ...at, x1: 0.6, x2: 0.8, personId: mine.id, decidedBy: 'owner' });
  const alike = await addPerson(database, { ownerId: state.me.id });
  await addFace(database, { ...at, x1: 0.85, x2: 0.95, personId: alike.id });
  expect(await listFaces(id)).toEqual([
    ['Anna', 16, 10, 36, 40],
    ['Robert', 60, 10, 80, 40],
    ['Cleo', 85, 10, 95, 40],
  ]);
});

test('189: faces are taken in only if the setting asks for it', async () => {
  await importFaces(false);
  const { id } = await show({ xmp: regions([ANNA]) });
  expect(await listFaces(id)).toEqual([]);
  await importFaces(true);
  await read(id);
  expect(await listFaces(id)).toEqual([ANNA_FACE]);
});

test('196: faces that the owner has drawn stay when a file is read again', async () => {
  const { id } = await show({ xmp: regions([ANNA]) });
  await listFaces(id);
  const box = { x: 192, y: 20, width: 64, height: 60, imageWidth: 320, imageHeight: 200 };
  await call(app, 'POST /faces', { as: state.me, body: { ...box, assetId: id } });
  await read(id);
  expect(await listFaces(id)).toEqual([ANNA_FACE, ['', 60, 10, 80, 40]]);
});
