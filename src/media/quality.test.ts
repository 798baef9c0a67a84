import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { closeImageChildren } from './image-children.ts';
import { computeQuality } from './quality.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';

const folder = mkdtempSync(join(tmpdir(), 'safelight-quality-'));
afterAll(async () => {
  await closeImageChildren();
  rmSync(folder, { recursive: true });
});

let made = 0;
async function measure(picture: Sharp) {
  const path = join(folder, `${++made}.webp`);
  await picture.webp().toFile(path);
  return computeQuality(path);
}

skipWithout('media').test(
  'real photos are good; blurred, they are not sharp; black or burnt out, not exposed',
  async () => {
    const nature = join(MEDIA!, 'nature');
    const names = (await readdir(nature)).filter((name) => name.endsWith('.jpg')).slice(0, 6);
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      const thumbnail = await sharp(join(nature, name))
        .resize(250, 250, { fit: 'outside' })
        .png()
        .toBuffer();
      const good = await measure(sharp(thumbnail));
      const blurred = await measure(sharp(thumbnail).blur(5));
      expect([name, good.sharpness > 0.3, good.exposure > 0.7]).toEqual([name, true, true]);
      expect([name, blurred.sharpness < 0.2]).toEqual([name, true]);
      expect((await measure(sharp(thumbnail).linear(0.03))).exposure).toBeLessThan(0.1);
      expect((await measure(sharp(thumbnail).linear(1, 255))).exposure).toBeLessThan(0.1);
    }
  },
);

test('a file that is no picture has no quality', async () => {
  const path = join(folder, 'text.webp');
  await Bun.write(path, 'not a picture');
  await expect(computeQuality(path)).rejects.toThrow();
});
