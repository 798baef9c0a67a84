import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { findColours, findThingColours } from './colours.ts';

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

test('a thing has the colours of the middle of its box, whatever is around it', () => {
  const side = 60;
  const data = new Uint8Array(side * side * 3);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const isRed = x >= 20 && x < 40 && y >= 20 && y < 40;
      data.set(isRed ? [200, 30, 30] : [40, 160, 40], (y * side + x) * 3);
    }
  const picture = { width: side, height: side, data };
  const box = { x1: 18, y1: 18, x2: 42, y2: 42 };
  const car = { label: 'car', score: 0.9 };
  expect(findThingColours(picture, [{ ...car, box }])).toEqual([{ label: 'red car', score: 1 }]);
  const whole = { x1: 5, y1: 5, x2: 55, y2: 55 };
  expect(findThingColours(picture, [{ ...car, box: whole }]).map(({ label }) => label)).toEqual([
    'green car',
    'red car',
  ]);
  expect(findThingColours(picture, [])).toEqual([]);
});
