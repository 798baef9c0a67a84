import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { compareOutlines, computeLooks } from './outline.ts';

const folder = mkdtempSync(join(tmpdir(), 'safelight-outline-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
async function outline(picture: Sharp) {
  const path = join(folder, `${++made}.webp`);
  await picture.webp().toFile(path);
  return (await computeLooks(path)).light;
}
const drawn = (shapes: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">
        <rect width="400" height="300" fill="#bcd"/>${shapes}</svg>`,
    ),
  );
const FACE =
  '<circle cx="180" cy="120" r="70" fill="#643"/><rect x="90" y="200" width="190" height="100"/>';
const TURNED =
  '<circle cx="230" cy="150" r="60" fill="#643"/><rect x="150" y="220" width="200" height="80"/>';

describe('the similarity of two outlines', () => {
  test('is near 1 for copies in another size, shape, quality and light', async () => {
    const whole = await outline(drawn(FACE));
    expect(whole).toHaveLength(256);
    const bytes = await drawn(FACE).jpeg({ quality: 30 }).toBuffer();
    for (const copy of [
      sharp(bytes),
      drawn(FACE).resize(80),
      drawn(FACE).resize(200, 200, { fit: 'fill' }),
      drawn(FACE).modulate({ brightness: 1.1 }),
    ]) {
      expect(compareOutlines(whole, await outline(copy))!).toBeGreaterThan(0.97);
    }
  });

  test('is less for another picture of the same', async () => {
    const [one, other] = [await outline(drawn(FACE)), await outline(drawn(TURNED))];
    expect(compareOutlines(one, other)!).toBeLessThan(0.6);
    expect(compareOutlines(one, other)).toBe(compareOutlines(other, one));
  });

  test('is unknown for pictures without edges', async () => {
    expect(compareOutlines(await outline(drawn(FACE)), await outline(drawn('')))).toBeNull();
  });
});

test('a file that is no picture has no outline', async () => {
  const path = join(folder, 'broken.webp');
  await Bun.write(path, 'no picture');
  await expect(computeLooks(path)).rejects.toThrow();
  await expect(computeLooks(join(folder, 'gone.webp'))).rejects.toThrow();
});
