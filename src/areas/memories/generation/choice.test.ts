import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { GenerationFixture } from '../../../../test/support/generated-memories.ts';
import { addThumbnail, saveFeature } from '../../../../test/support/similar-assets.ts';

const fixture = new GenerationFixture();
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
const create = { width: 320, height: 240, channels: 3, background: 'grey', noise } as const;
const picture = await sharp({ create }).png().toBuffer();
const blurred = await sharp(picture).blur(12).png().toBuffer();

describe('a memory leaves out pictures', () => {
  test('that show the same as another', async () => {
    await fixture.database
      .sql`insert into analysis_model (task, model_id) values ('feature', 'feature')`;
    await fixture.database.sql`update asset set created_at = '2020-01-01'`;
    const ids = await fixture.addMany(6, '2020-11-21');
    const vectors = [
      [1, 0, 0, 0],
      [1, 0.1, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [0.1, 0, 0, 1],
    ];
    for (const [n, assetId] of ids.entries()) {
      await saveFeature(fixture.database, { assetId, ownerId: fixture.me.id }, vectors[n]!);
    }
    await fixture.generate();
    const [memory] = await fixture.list();
    const chosen: string[] = memory!['ids'];
    expect(chosen).toHaveLength(4);
    expect(chosen.filter((id) => ids.slice(0, 2).includes(id))).toHaveLength(1);
    expect(chosen.filter((id) => ids.slice(4).includes(id))).toHaveLength(1);
  });

  test('of bad quality, which is measured once for each thumbnail', async () => {
    const id = await fixture.add('2020-11-21', {}, picture);
    await fixture.addMany(3, '2020-11-21');
    const measured = () => fixture.database.sql`
      select thumbnail_tag as tag, sharpness, exposure from picture_quality where asset_id = ${id}`;
    await fixture.generate();
    expect((await fixture.list())[0]!['ids']).toContain(id);
    expect(await measured()).toEqual([{ tag: id, sharpness: 1, exposure: 1 }] as never);
    await fixture.database.sql`delete from memory where owner_id = ${fixture.me.id}`;
    await addThumbnail(fixture.database, id, blurred);
    await fixture.database.sql`update asset_file set tag = 'other' where asset_id = ${id}`;
    await fixture.generate();
    expect(await fixture.list()).toEqual([]);
    expect((await measured())[0]!['sharpness']).toBeLessThan(0.2);
  });

  test('that are hardly better, without measuring all', async () => {
    const soft = await sharp({ create: { ...create, noise: { ...noise, sigma: 28 } } })
      .blur(0.7)
      .png()
      .toBuffer();
    for (let n = 0; n < 24; n++) await fixture.add('2020-11-21', {}, soft);
    await fixture.generate();
    expect((await fixture.list())[0]!['ids']).toHaveLength(20);
    const measured = await fixture.database.sql<{ sharpness: number }[]>`
      select sharpness from picture_quality
      where asset_id in (select id from asset where owner_id = ${fixture.me.id})`;
    expect(measured).toHaveLength(20);
    expect(measured[0]!.sharpness).toBeWithin(0.5, 0.75);
  });

  test('of one burst, without what tells them apart', async () => {
    const takenAt = (second: number) => ({ localTakenAt: `2020-11-21T12:00:0${second}` });
    for (const second of [1, 2, 3, 4]) await fixture.add('2020-11-21', takenAt(second));
    await fixture.generate();
    expect(await fixture.list()).toEqual([]);
  });

  test('that are videos, but for two', async () => {
    await fixture.addMany(4, '2020-11-21');
    const videos: string[] = [];
    for (let n = 0; n < 4; n++) videos.push(await fixture.add('2020-11-21', { type: 'VIDEO' }));
    await fixture.generate();
    const [memory] = await fixture.list();
    expect(memory!['ids'].filter((id: string) => videos.includes(id))).toHaveLength(2);
  });
});
