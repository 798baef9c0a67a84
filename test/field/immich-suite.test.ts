import { beforeAll, expect, test } from 'bun:test';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { handleImportFaces } from '../../src/areas/faces/import.handlers.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { configWith } from '../support/config.ts';
import { useFieldPhotos } from '../support/field-photos.ts';
import { call, seed } from '../support/harness.ts';
import { startLiveServer, withBearer } from '../support/live-clients.ts';
import { drainLane, jobCtx } from '../support/processing.ts';
import type { Json } from '../support/json.ts';

// Acts of the suite that Immich tries its own API with, where the answers here were others.

const { app, database, get, show, state } = await useFieldPhotos();
beforeAll(async () => {
  state.me = await seed(database).user(['all'], { isAdmin: true });
  const body = configWith({ metadata: { faces: { import: true } } });
  expect((await call(app, 'PUT /system-config', { as: state.me, body })).status).toBe(200);
});

/** Edits a photo between the reading of its file and the saving of what was read. */
async function editWhileRead(id: string, body: object): Promise<Json> {
  const save = await handleReadMetadata(jobCtx(database), { assetId: id });
  expect((await call(app, `PUT /assets/${id}`, { as: state.me, body })).status).toBe(200);
  await database.db.transaction((tx) => save!(tx));
  return (await get(`/assets/${id}`)).exifInfo;
}

const LISBON = { latitude: 38.7223, longitude: -9.1393 };
const PARIS = [
  '-GPSLatitude=48.8566',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=2.3522',
  '-GPSLongitudeRef=E',
];

test.each([
  ['without a position', []],
  ['of Paris', PARIS],
])('608: a position that is set while a file %s is read keeps its place', async (_, tags) => {
  const { id } = await show({ tags });
  const read = await editWhileRead(id, LISBON);
  expect(read).toMatchObject({ ...LISBON, city: 'Lisbon', country: 'Portugal' });
  // Also when it is read again, from the beginning.
  expect(await editWhileRead(id, { description: 'A day' })).toMatchObject({ city: 'Lisbon' });
});

const importFaces = () =>
  drainLane(database, 'background', {
    'faces.import': handleImportFaces,
  } as HandlersByLane<'background'>);

/** Middle and size of a face in a picture of 320 by 200 pixels. */
const region = ([x, y, w, h]: readonly number[]) =>
  `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions stDim:w="320" stDim:h="200" ` +
  `stDim:unit="pixel"/><mwg-rs:RegionList><rdf:Bag><rdf:li rdf:parseType="Resource"><mwg-rs:Name>Anna</mwg-rs:Name>` +
  `<mwg-rs:Type>Face</mwg-rs:Type><mwg-rs:Area stArea:x="${x}" stArea:y="${y}" stArea:w="${w}" stArea:h="${h}" ` +
  `stArea:unit="normalized"/></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`;

test.each([
  ['between pixels', [0.3684523, 0.307857, 0.113095, 0.198571], [99, 41, 135, 81]],
  ['on pixels', [0.29, 0.5, 0.08, 0.1], [80, 90, 105, 110]],
  ['smaller than a pixel', [0.5, 0.5, 0.001, 0.001], [159, 99, 160, 100]],
  ['at the last pixel', [0.9999, 0.9999, 0.0001, 0.0001], [319, 199, 320, 200]],
])('609: a named face with edges %s has those of Immich', async (_, area, edges) => {
  const { id } = await show({ xmp: region(area) });
  await importFaces();
  const faces = await get(`/faces?id=${id}`);
  expect(
    faces.map((face: Json) => [
      face.boundingBoxX1,
      face.boundingBoxY1,
      face.boundingBoxX2,
      face.boundingBoxY2,
    ]),
  ).toEqual([edges]);
});

test('618: whoever has the photo open is told its people when they are there', async () => {
  const live = await startLiveServer(database);
  try {
    const client = await live.connect(withBearer(state.me));
    const { id, people } = await show({ xmp: region([0.5, 0.5, 0.2, 0.3]) });
    expect(people).toEqual([]);
    await importFaces();
    const [, told] = (await client.until('on_asset_update')).at(-1)!;
    expect([told.id, told.people.map(({ name }: Json) => name)]).toEqual([id, ['Anna']]);
  } finally {
    live.hangUp();
    await live.stop();
  }
});
