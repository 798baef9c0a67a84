import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { findColours } from './colours.ts';

/** A picture of one colour with a square of another in the middle. */
async function paint(ground: string, square: string, side = 90) {
  const create = (color: string, size: number) =>
    sharp({ create: { width: size, height: size, channels: 3, background: color } });
  const input = await create(square, side).png().toBuffer();
  const raw = create(ground, 200).composite([{ input }]).removeAlpha().raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}
const names = async (...colours: [string, string, number?]) =>
  findColours(await paint(...colours)).map(({ label }) => label);

test.each([
  ['#e8e8e4', '#c81e1e', 'red'],
  ['#e8e8e4', '#2f8f2f', 'green'],
  ['#e8e8e4', '#2244cc', 'blue'],
  ['#e8e8e4', '#f2d21b', 'yellow'],
  ['#e8e8e4', '#f08020', 'orange'],
  ['#e8e8e4', '#6b4420', 'brown'],
  ['#e8e8e4', '#f49ac0', 'pink'],
  ['#e8e8e4', '#7d2ea8', 'purple'],
])('a square on %p of %p is %p', async (ground, square, colour) => {
  const found = await names(ground, square);
  expect(found.filter((name) => !['white', 'gray', 'black'].includes(name))).toEqual([colour]);
});

test('shades of grey are black and white, a coloured speck makes it none', async () => {
  expect(await names('#ffffff', '#101010')).toContain('black and white');
  expect(await names('#ffffff', '#101010')).not.toContain('red');
  expect(await names('#808080', '#c81e1e', 40)).not.toContain('black and white');
});

test('certainty follows the share of the picture', async () => {
  const certain = async (side: number) =>
    findColours(await paint('#ffffff', '#c81e1e', side)).find(({ label }) => label === 'red')
      ?.score ?? 0;
  expect(await certain(20)).toBe(0);
  expect(await certain(180)).toBe(1);
  expect(await certain(90)).toBeWithin(0.3, 1);
});
