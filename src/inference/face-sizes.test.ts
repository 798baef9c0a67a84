import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { withModels } from '../../test/support/models.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { silentLog } from '../core/log.ts';
import { openInference } from './client.ts';
import type { Face, Inference } from './types.ts';
import { dot } from './vectors/arithmetic.ts';

skipWithout('models', 'media').describe('faces on real photos', () => {
  let folder: string;
  let inference: Inference;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'safelight-face-sizes-'));
    await mkdir(join(folder, 'derived'));
    inference = openInference({ settings: withModels(folder), log: silentLog });
  });
  afterAll(async () => {
    await inference.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** As rendering leaves it. */
  async function preview(name: string): Promise<{ path: string }> {
    const path = join(folder, 'derived', `${Bun.hash(name)}.jpg`);
    await sharp(join(MEDIA!, name), { failOn: 'none' })
      .autoOrient()
      .resize(1440, 1440, { fit: 'outside', withoutEnlargement: true })
      .toFile(path);
    return { path };
  }

  test('a face that fills its picture is found and known again, also at 60 px', async () => {
    const vectors: Float32Array[][] = [];
    for (const name of ['text/craft-beer.jpg', 'metadata/faces/portrait.jpg']) {
      const { path } = await preview(name);
      const { results, picture } = await inference.analyze({ path }, ['faces']);
      const [{ box, vector }] = results.faces!.toSorted((a, b) => b.score - a.score) as [Face];
      const seen = [vector];
      for (const [width, trim] of [
        [100, 0],
        [100, 0.1],
        [60, 0],
      ] as const) {
        const [w, h] = [(box.x2 - box.x1) * picture.width, (box.y2 - box.y1) * picture.height];
        const crop = join(folder, 'derived', `${Bun.hash(name)}-${width}-${trim}.jpg`);
        await sharp(path)
          .extract({
            left: Math.round(box.x1 * picture.width + trim * w),
            top: Math.round(box.y1 * picture.height + trim * h),
            width: Math.round((1 - 2 * trim) * w),
            height: Math.round((1 - 2 * trim) * h),
          })
          .resize(width)
          .toFile(crop);
        const found = await inference.analyze({ path: crop }, ['faces']);
        const [face, ...others] = found.results.faces!.filter(({ score }) => score >= 0.7);
        expect(others).toEqual([]);
        seen.push(face!.vector);
      }
      vectors.push(seen);
    }
    const [one, other] = vectors as [Float32Array[], Float32Array[]];
    for (const same of [one, other]) {
      for (const crop of same.slice(1)) expect(dot(same[0]!, crop)).toBeGreaterThan(0.6);
    }
    for (const a of one) for (const b of other) expect(dot(a, b)).toBeLessThan(0.4);
  }, 300_000);

  test('a small face in a large picture is known again as surely as a large one', async () => {
    const { path } = await preview('metadata/faces/portrait.jpg');
    const { results, picture } = await inference.analyze({ path }, ['faces']);
    const [{ box, vector }] = results.faces!.toSorted((a, b) => b.score - a.score) as [Face];
    const side = Math.round((box.x2 - box.x1) * picture.width);
    const head = await sharp(path)
      .extract({
        left: Math.round(box.x1 * picture.width - 0.3 * side),
        top: Math.round(box.y1 * picture.height - 0.3 * side),
        width: Math.round(1.6 * side),
        height: Math.round(1.6 * side),
      })
      .resize(120, 120)
      .toBuffer();
    const { path: rocks } = await preview('nature/el_torcal_rocks.jpg');
    const similarities: number[] = [];
    for (const [left, top] of [
      [200, 150],
      [611, 333],
      [900, 500],
    ] as const) {
      const scene = join(folder, 'derived', `scene-${left}.jpg`);
      await sharp(rocks)
        .composite([{ input: head, left, top }])
        .toFile(scene);
      const found = await inference.analyze({ path: scene }, ['faces']);
      similarities.push(...found.results.faces!.map((face) => dot(vector, face.vector)));
    }
    expect(similarities.length).toBeGreaterThan(0);
    expect(Math.min(...similarities)).toBeGreaterThan(0.92);
  }, 300_000);
});
