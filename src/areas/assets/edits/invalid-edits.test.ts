import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, type NewAsset, seed } from '../../../../test/support/harness.ts';

const { database, app, house, me } = await useHousehold();

const CROP_RED = { action: 'crop', parameters: { x: 0, y: 0, width: 100, height: 100 } };
const TURN = { action: 'rotate', parameters: { angle: 90 } };
const FLOP = { action: 'mirror', parameters: { axis: 'horizontal' } };

const put = (id: string, edits: readonly object[], caller: Caller = { as: me }) =>
  call(app, `PUT /assets/${id}/edits`, { ...caller, body: { edits } });
const remove = (id: string, caller: Caller = { as: me }) =>
  call(app, `DELETE /assets/${id}/edits`, caller);
const get = async (id: string, caller: Caller = { as: me }) =>
  (await call(app, `GET /assets/${id}`, caller)).body;

describe('invalid edits are refused without any change', () => {
  const wrong: [string, readonly object[]][] = [
    ['no edits', []],
    [
      'a crop beyond the right edge',
      [{ ...CROP_RED, parameters: { x: 101, y: 0, width: 100, height: 1 } }],
    ],
    [
      'a crop beyond the bottom',
      [{ ...CROP_RED, parameters: { x: 0, y: 1, width: 1, height: 100 } }],
    ],
    ['an empty crop', [{ ...CROP_RED, parameters: { x: 0, y: 0, width: 0, height: 10 } }]],
    [
      'a crop left of the picture',
      [{ ...CROP_RED, parameters: { x: -1, y: 0, width: 9, height: 9 } }],
    ],
    [
      'a crop at half a pixel',
      [{ ...CROP_RED, parameters: { x: 0.5, y: 0, width: 9, height: 9 } }],
    ],
    ['a crop after a turn', [TURN, CROP_RED]],
    ['two crops', [CROP_RED, CROP_RED]],
    ['two turns', [TURN, TURN]],
    ['the same mirror twice', [FLOP, FLOP]],
    ['a rotation by 45 degrees', [{ action: 'rotate', parameters: { angle: 45 } }]],
    ['parameters of another action', [{ action: 'crop', parameters: { angle: 90 } }]],
    ['an unknown axis', [{ action: 'mirror', parameters: { axis: 'diagonal' } }]],
    ['an unknown action', [{ action: 'blur', parameters: { angle: 90 } }]],
  ];
  for (const [name, edits] of wrong) {
    test(`${name} → 400`, async () => {
      const id = await seed(database).asset({ ownerId: me.id, width: 200, height: 100 });
      expect((await put(id, edits)).status).toBe(400);
      expect(await get(id)).toMatchObject({ isEdited: false, width: 200 });
    });
  }

  const unfit: [string, Partial<NewAsset>][] = [
    ['a video', { type: 'VIDEO', fileName: 'a.mp4' }],
    ['a GIF', { fileName: 'a.gif' }],
    ['an equirectangular panorama', { exif: { projectionType: 'EQUIRECTANGULAR' } }],
    ['a picture of unknown size', { width: null }],
  ];
  for (const [name, over] of unfit) {
    test(`${name} → 400`, async () => {
      const id = await seed(database).asset({ ownerId: me.id, width: 200, height: 100, ...over });
      expect((await put(id, [TURN])).status).toBe(400);
      expect((await get(id)).isEdited).toBe(false);
    });
  }

  test('editing a live photo → 400', async () => {
    const { live } = house.ids;
    expect((await put(live, [TURN], { as: house.owner })).status).toBe(400);
  });

  const others: [string, () => Caller, number][] = [
    ['a viewer of the Timeline', () => ({ as: house.viewer }), 400],
    ['a member of the album', () => ({ as: house.member }), 400],
    ['another user', () => ({ as: house.stranger }), 400],
    ['a guest', () => ({ headers: { 'x-immich-share-slug': 'assets' } }), 403],
    ['a client without credentials', () => ({}), 401],
  ];
  for (const [who, caller, status] of others) {
    test(`a request by ${who} → ${status}`, async () => {
      const { plain } = house.ids;
      expect((await put(plain, [TURN], caller())).status).toBe(status);
      expect((await remove(plain, caller())).status).toBe(status);
      expect((await call(app, `GET /assets/${plain}/edits`, caller())).status).toBe(status);
    });
  }

  test('a locked picture in a session without PIN, or an unknown id → 400', async () => {
    for (const id of [house.ids.locked, crypto.randomUUID()]) {
      expect((await put(id, [TURN], { as: house.owner })).status).toBe(400);
    }
  });
});
