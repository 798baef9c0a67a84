import { beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import sharp from 'sharp';
import {
  call,
  type Caller,
  type NewAsset,
  seed,
  send,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { useHousehold } from '../../../../test/support/database.ts';
import { addFace } from '../../../../test/support/people.ts';
import { addFile, derivedPath, drainLane } from '../../../../test/support/processing.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { adjustPixels } from '../../../media/adjusted-pixels.ts';
import { type Adjustments, UNADJUSTED } from '../../../media/adjustments.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderImage } from '../processing/thumbnails.handlers.ts';
import type { PictureEditsChange } from './adjustments.schemas.ts';
import { handleRenderEdits } from './edits.handlers.ts';

const { database, app, house } = await useHousehold();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
});

const drain = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });

const COLOR = [180, 90, 60] as const;
let made = 0;
/** A photo of one colour, 200 × 100 unless said, with its thumbnails. */
async function photo(over: Partial<NewAsset> = {}, size = { width: 200, height: 100 }) {
  const background = { r: COLOR[0], g: COLOR[1], b: COLOR[2] };
  const bytes = await sharp({ create: { ...size, channels: 3, background } })
    .withExif({ IFD0: { Artist: `${++made}` } })
    .jpeg({ quality: 95 })
    .toBuffer();
  const id = await addFile(database, { name: 'a.jpeg', bytes }, { ownerId: me.id, ...over });
  await enqueue(database.db, renderImage, { assetId: id });
  await drain();
  return id;
}

const CROP = { action: 'crop', parameters: { x: 0, y: 0, width: 100, height: 50 } };
const TURN = { action: 'rotate', parameters: { angle: 90 } };

const read = (id: string, caller: Caller = { as: me }) =>
  call(app, `GET /assets/${id}/adjustments`, caller);
const put = async (
  id: string,
  adjustments: object,
  { edits = [], revision, ...caller }: Caller & { edits?: object[]; revision?: string } = {},
) => {
  const expectedRevision = revision ?? (await read(id)).body.revision ?? 'none';
  return call(app, `PUT /assets/${id}/adjustments`, {
    as: me,
    ...caller,
    body: { expectedRevision, edits, adjustments },
  });
};
const putEdits = (id: string, edits: readonly object[]) =>
  call(app, `PUT /assets/${id}/edits`, { as: me, body: { edits } });
const getAsset = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;

async function shown(id: string, query: string, caller: Caller = { as: me }) {
  const response = await send(app, `GET /assets/${id}/${query}`, caller);
  expect(response.status).toBe(200);
  const { data, info } = await sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 3;
  return { width: info.width, height: info.height, color: [...data.subarray(at, at + 3)] };
}

/** The colour that it is to have, within what a JPEG loses. */
function isAdjusted(color: readonly number[], over: Partial<Adjustments>): boolean {
  const expected = Uint8Array.from(COLOR);
  adjustPixels(expected, 3, { ...UNADJUSTED, ...over });
  return color.every((value, index) => Math.abs(value - expected[index]!) <= 5);
}

const onDisk = (id: string): string[] =>
  readdirSync(dirname(derivedPath(database, `${id.slice(0, 2)}/${id.slice(2, 4)}/x`)))
    .filter((name) => name.startsWith(id))
    .toSorted();

const BRIGHT = { exposure: 60, warmth: -20, saturation: -30 };

test('the edited picture is rendered with the values, and the unedited one and the file stay', async () => {
  const id = await photo();
  const original = await send(app, `GET /assets/${id}/original`, { as: me });
  const bytes = Buffer.from(await original.arrayBuffer());
  const before = await getAsset(id);
  expect((await read(id)).body).toEqual({
    assetId: id,
    revision: expect.any(String),
    size: { width: 200, height: 100 },
    edits: [],
    adjustments: UNADJUSTED,
  });

  const reply = await put(id, BRIGHT);
  expect(reply.status).toBe(200);
  expect(reply.body.adjustments).toEqual({ ...UNADJUSTED, ...BRIGHT });
  expect((await read(id)).body).toEqual(reply.body);
  await drain();

  expect(await getAsset(id)).toMatchObject({ isEdited: true, width: 200, height: 100 });
  expect((await getAsset(id)).thumbhash).not.toBe(before.thumbhash);
  for (const size of ['thumbnail', 'preview', 'fullsize', 'original']) {
    const { color } = await shown(id, `thumbnail?size=${size}&edited=true`);
    expect([size, isAdjusted(color, BRIGHT)]).toEqual([size, true]);
    expect(isAdjusted((await shown(id, `thumbnail?size=${size}`)).color, {})).toBe(true);
  }
  expect(isAdjusted((await shown(id, 'original?edited=true')).color, BRIGHT)).toBe(true);
  const again = await send(app, `GET /assets/${id}/original`, { as: me });
  expect(Buffer.from(await again.arrayBuffer())).toEqual(bytes);
  // Clients of Immich see a picture that is edited, without an edit that they know.
  expect((await call(app, `GET /assets/${id}/edits`, { as: me })).body.edits).toEqual([]);
});

test('guests of a link see the edited picture only', async () => {
  const id = await photo();
  await put(id, BRIGHT);
  await drain();
  const body = { type: 'INDIVIDUAL', assetIds: [id] };
  const { key } = (await call(app, 'POST /shared-links', { as: me, body })).body;
  const guest = { headers: { 'x-immich-share-key': key as string } };
  for (const query of [
    'thumbnail?size=preview',
    'thumbnail?size=fullsize&edited=false',
    'original?',
  ]) {
    expect(isAdjusted((await shown(id, query, guest)).color, BRIGHT)).toBe(true);
  }
});

test('edits of other clients keep the adjustments, and their reset takes all away at once', async () => {
  const id = await photo();
  const before = await getAsset(id);
  const files = onDisk(id);
  await put(id, { ...BRIGHT, straighten: 4 }, { edits: [CROP] });
  await drain();
  expect((await putEdits(id, [TURN])).status).toBe(200);
  const { body } = await read(id);
  expect(body.edits).toEqual([TURN]);
  expect(body.adjustments).toMatchObject({ ...BRIGHT, straighten: 4 });
  await drain();
  const edited = await shown(id, 'thumbnail?size=preview&edited=true');
  expect(edited.height).toBeGreaterThan(edited.width);
  expect(isAdjusted(edited.color, BRIGHT)).toBe(true);

  expect((await call(app, `DELETE /assets/${id}/edits`, { as: me })).status).toBe(204);
  expect((await read(id)).body.adjustments).toEqual(UNADJUSTED);
  const { thumbhash, width, height } = before;
  expect(await getAsset(id)).toMatchObject({ isEdited: false, thumbhash, width, height });
  expect(onDisk(id)).toEqual(files);
  expect(await database.sql`select 1 from asset_unedited where asset_id = ${id}`).toHaveLength(0);
});

test('values of 0 are the original: nothing is left of the edits', async () => {
  const id = await photo();
  await put(id, BRIGHT);
  await drain();
  expect((await put(id, {})).status).toBe(200);
  expect(await getAsset(id)).toMatchObject({ isEdited: false });
  expect(await database.sql`select 1 from asset_adjustment where asset_id = ${id}`).toHaveLength(0);
  expect(onDisk(id)).toHaveLength(2);
});

test('a write of another revision is refused with the current one, and changes nothing', async () => {
  const id = await photo();
  const { revision } = (await read(id)).body;
  await putEdits(id, [TURN]);
  const reply = await put(id, BRIGHT, { revision });
  const current = (await read(id)).body;
  expect([reply.status, reply.body.code, reply.body.currentRevision]).toEqual([
    409,
    'stale_revision',
    current.revision,
  ]);
  expect(current).toMatchObject({ edits: [TURN], adjustments: UNADJUSTED });
});

test('a slight change, too, gets another thumbhash: clients know by it that there is another picture', async () => {
  const id = await photo();
  const seen = [(await getAsset(id)).thumbhash];
  for (const exposure of [1, 2, 1]) {
    await put(id, { exposure });
    await drain();
    const { thumbhash } = await getAsset(id);
    expect(thumbhash).not.toBe(seen.at(-1));
    expect(thumbhash).not.toBe(seen[0]);
    seen.push(thumbhash);
  }
});

test('light and colour leave faces and what is recognised; an angle moves faces and looks again', async () => {
  const id = await photo();
  const box = { x1: 0.1, y1: 0.2, x2: 0.3, y2: 0.6, imageWidth: 200, imageHeight: 100 };
  const { id: faceId } = await addFace(database, { ownerId: me.id, assetId: id, ...box });
  await database.sql`
    insert into asset_analysis (asset_id, task, model_id) values (${id}, 'faces', 'any')`;
  const face = async () =>
    (
      await database.sql`select x1, y1, x2, y2, image_width, source_revision, revision,
      picture_revision(asset_id) = source_revision as is_current
      from face where id = ${faceId}`
    )[0]!;
  const isSeen = async () =>
    (await database.sql`select 1 from asset_analysis where asset_id = ${id}`).length > 0;
  await database.sql`update face set source_revision = picture_revision(asset_id)`;
  const before = await face();

  await put(id, BRIGHT);
  await drain();
  expect(await face()).toEqual(before);
  expect(await isSeen()).toBe(true);

  await put(id, { ...BRIGHT, straighten: 10 });
  const moved = await face();
  expect(moved['image_width']).toBeLessThan(200);
  expect(moved['is_current']).toBe(true);
  // The face is left of the middle: a turn clockwise lifts it.
  expect(moved['y1'] + moved['y2']).toBeLessThan(0.8);
  await drain();
  expect(await isSeen()).toBe(false);

  await put(id, {});
  const after = await face();
  for (const side of ['x1', 'y1', 'x2', 'y2']) expect(after[side]).toBeCloseTo(before[side], 9);
});

describe('bad values are refused and named', () => {
  const wrong: [string, object, string][] = [
    ['an exposure beyond 100', { exposure: 101 }, 'exposure'],
    ['half a percent', { contrast: 0.5 }, 'contrast'],
    ['a saturation below -100', { saturation: -101 }, 'saturation'],
    ['an angle beyond 45', { straighten: 45.1 }, 'straighten'],
    ['a text', { warmth: 'warm' }, 'warmth'],
    ['null', { tint: null }, 'tint'],
  ];
  for (const [name, adjustments, field] of wrong) {
    test(`${name} → 400`, async () => {
      const id = await seed(database).asset({ ownerId: me.id, width: 200, height: 100 });
      const reply = await put(id, adjustments);
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body)).toContain(field);
      expect((await getAsset(id)).isEdited).toBe(false);
    });
  }

  test('a crop beyond the picture, and edits in a wrong order → 400', async () => {
    const id = await seed(database).asset({ ownerId: me.id, width: 90, height: 100 });
    expect((await put(id, {}, { edits: [CROP] })).status).toBe(400);
    const other = await seed(database).asset({ ownerId: me.id, width: 200, height: 100 });
    expect((await put(other, {}, { edits: [TURN, CROP] })).status).toBe(400);
  });

  const unfit: [string, Partial<NewAsset>, RegExp][] = [
    ['a video', { type: 'VIDEO', fileName: 'a.mp4' }, /Only images/],
    ['a GIF', { fileName: 'a.gif' }, /kind of image/],
    ['a panorama', { exif: { projectionType: 'EQUIRECTANGULAR' } }, /panorama/],
    ['a picture of unknown size', { width: null }, /dimensions/],
  ];
  for (const [name, over, message] of unfit) {
    test(`${name} → 400, which says why`, async () => {
      const id = await seed(database).asset({ ownerId: me.id, width: 200, height: 100, ...over });
      for (const reply of [await read(id), await put(id, BRIGHT)]) {
        expect([reply.status, reply.body.message]).toEqual([400, expect.stringMatching(message)]);
      }
    });
  }
});

describe('others can neither read nor change adjustments', () => {
  const others: [string, () => Caller, number][] = [
    ['a viewer of the Timeline', () => ({ as: house.viewer }), 400],
    ['a member of the album', () => ({ as: house.member }), 400],
    ['another user', () => ({ as: house.stranger }), 400],
    ['a guest', () => ({ as: undefined, headers: { 'x-immich-share-slug': 'assets' } }), 403],
    ['a client without credentials', () => ({ as: undefined }), 401],
  ];
  for (const [who, caller, status] of others) {
    test(`${who} → ${status}`, async () => {
      const { plain } = house.ids;
      const { revision } = (await read(plain, { as: house.owner })).body;
      const item = { assetId: plain, expectedRevision: revision, edits: [], adjustments: BRIGHT };
      const requests: [`${'GET' | 'PUT' | 'POST'} /${string}`, object | undefined][] = [
        [`GET /assets/${plain}/adjustments`, undefined],
        [
          `PUT /assets/${plain}/adjustments`,
          { expectedRevision: revision, edits: [], adjustments: BRIGHT },
        ],
        ['PUT /assets/adjustments', { items: [item] }],
        [
          'POST /assets/adjustments/paste',
          { assetIds: [plain], edits: [], adjustments: BRIGHT, size: { width: 4, height: 3 } },
        ],
      ];
      for (const [route, body] of requests) {
        const reply = await call(app, route, { ...caller(), ...(body && { body }) });
        expect([route, reply.status]).toEqual([route, status]);
      }
      expect((await read(plain, { as: house.owner })).body.revision).toBe(revision);
    });
  }

  test('a key without the permission → 403', async () => {
    const weak = await seed(database).user(['asset.read', 'asset.update', 'asset.edit.get']);
    const id = await seed(database).asset({ ownerId: weak.id, width: 200, height: 100 });
    const { status, body } = await read(id, { as: weak });
    expect(status).toBe(200);
    expect((await put(id, BRIGHT, { as: weak, revision: body.revision })).status).toBe(403);
    const paste = { assetIds: [id], edits: [], adjustments: BRIGHT, size: { width: 4, height: 3 } };
    const reply = await call(app, 'POST /assets/adjustments/paste', { as: weak, body: paste });
    expect(reply.status).toBe(403);
    const blind = await seed(database).user(['asset.read', 'asset.edit.create']);
    const other = await seed(database).asset({ ownerId: blind.id, width: 200, height: 100 });
    expect((await read(other, { as: blind })).status).toBe(403);
  });

  test('a locked picture in a session without PIN, or an unknown id → 400', async () => {
    for (const id of [house.ids.locked, crypto.randomUUID()]) {
      expect((await read(id, { as: house.owner })).status).toBe(400);
      expect((await put(id, BRIGHT, { as: house.owner, revision: 'x' })).status).toBe(400);
    }
  });
});

describe('edits of one photo are pasted on others', () => {
  const paste = (assetIds: string[], edits: object[], adjustments: object, caller: Caller = {}) =>
    call(app, 'POST /assets/adjustments/paste', {
      as: me,
      ...caller,
      body: { assetIds, edits, adjustments, size: { width: 200, height: 100 } },
    });
  const undo = (changed: PictureEditsChange['changed']) =>
    call(app, 'PUT /assets/adjustments', {
      as: me,
      body: {
        items: changed.map(({ assetId, revision, before }) => ({
          assetId,
          expectedRevision: revision,
          ...before,
        })),
      },
    });

  test('values and angle on all, the crop where the ratio fits; each keeps its turn', async () => {
    const same = await photo({}, { width: 400, height: 200 });
    const other = await photo({}, { width: 100, height: 100 });
    await putEdits(same, [TURN]);
    const { status, body } = await paste([same, other], [CROP], { ...BRIGHT, straighten: 2 });
    expect([status, body.skipped]).toEqual([200, []]);
    const crop = { x: 0, y: 0, width: 200, height: 100 };
    expect((await read(same)).body).toMatchObject({
      edits: [{ action: 'crop', parameters: crop }, TURN],
      adjustments: { ...BRIGHT, straighten: 2 },
    });
    expect((await read(other)).body).toMatchObject({
      edits: [],
      adjustments: { ...BRIGHT, straighten: 2 },
    });
    await drain();
    expect(isAdjusted((await shown(other, 'thumbnail?edited=true')).color, BRIGHT)).toBe(true);

    expect((await undo(body.changed)).body.skipped).toEqual([]);
    expect((await read(same)).body).toMatchObject({ edits: [TURN], adjustments: UNADJUSTED });
    expect(await getAsset(other)).toMatchObject({ isEdited: false });
  });

  test('what cannot be edited is left out and said, and what has changed since is not undone', async () => {
    const one = await photo();
    const two = await photo();
    const video = await seed(database).asset({ ownerId: me.id, type: 'VIDEO', fileName: 'a.mp4' });
    const { body } = await paste([one, two, video], [], BRIGHT);
    expect(body.skipped).toEqual([{ assetId: video, reason: 'unsupported' }]);
    expect(body.changed).toHaveLength(2);
    await putEdits(two, [TURN]);
    const undone = (await undo(body.changed)).body;
    expect(undone.skipped).toEqual([{ assetId: two, reason: 'stale' }]);
    expect((await read(one)).body.adjustments).toEqual(UNADJUSTED);
    expect((await read(two)).body).toMatchObject({ edits: [TURN], adjustments: BRIGHT });
  });

  test('one photo of somebody else refuses all', async () => {
    const mine = await photo();
    expect((await paste([mine, house.ids.plain], [], BRIGHT)).status).toBe(400);
    expect((await getAsset(mine)).isEdited).toBe(false);
  });

  test('a crop outside of its own picture → 400', async () => {
    const mine = await photo();
    const outside = { action: 'crop', parameters: { x: 150, y: 0, width: 100, height: 50 } };
    expect((await paste([mine], [outside], BRIGHT)).status).toBe(400);
  });
});

test('deleting the asset deletes its adjustments', async () => {
  const id = await photo();
  await put(id, BRIGHT);
  await drain();
  await database.sql`delete from asset where id = ${id}`;
  expect(await database.sql`select 1 from asset_adjustment where asset_id = ${id}`).toHaveLength(0);
});

test('the change is told to phones, and the search for edited photos finds it', async () => {
  const id = await photo();
  await database.sql`delete from change where subject_id = ${id}`;
  await put(id, BRIGHT);
  const kinds = await database.sql`select distinct kind from change where subject_id = ${id}`;
  expect(kinds.map(({ kind }) => kind)).toContain('asset');
  const isFound = async (isEdited: boolean) => {
    const body = { filter: { isEdited: { eq: isEdited } } };
    const { assets } = (await call(app, 'POST /search/metadata', { as: me, body })).body;
    return assets.items.some((item: { id: string }) => item.id === id);
  };
  expect([await isFound(true), await isFound(false)]).toEqual([true, false]);
});
