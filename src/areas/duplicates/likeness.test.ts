import { beforeEach, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { useApp } from '../../../test/support/database.ts';
import { getIds } from '../../../test/support/duplicate-sets.ts';
import { call, type NewAsset, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack } from '../../../test/support/household.ts';
import type { Json } from '../../../test/support/json.ts';
import { addFile } from '../../../test/support/processing.ts';
import { addThumbnail, matchAll, saveFeature } from '../../../test/support/similar-assets.ts';

// Only what is proven to be the same may be trashed without a look. Real files, which models find alike.

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const SIZE = { width: 240, height: 160 };
const picture = (name: string) =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="240" height="160">
      <rect width="240" height="160" fill="#358"/><circle cx="80" cy="70" r="50" fill="#fc3"/>
      <rect x="130" y="20" width="70" height="110" fill="#c24"/>
      <text x="10" y="150" font-size="14">${name}</text></svg>`),
  ).flatten();
const jpeg = (quality = 90) => picture('one').jpeg({ quality }).toBuffer();

type Over = Partial<NewAsset> & { readonly model?: string; readonly shotAt?: string };

async function add(bytes: Buffer, name: string, { model, shotAt, ...over }: Over = {}) {
  const ownerId = me.id;
  const exif = { ...(model && { model }), ...(shotAt && { dateTimeOriginal: new Date(shotAt) }) };
  const id = await addFile(database, { name, bytes }, { ownerId, ...SIZE, exif, ...over });
  await addThumbnail(database, id, bytes);
  await saveFeature(database, { assetId: id, ownerId }, [1, 0, 0, 0]);
  return id;
}
/** A comment of JPEG after the first marker. */
const withComment = (bytes: Buffer, text: string) =>
  Buffer.concat([
    bytes.subarray(0, 2),
    Buffer.from([0xff, 0xfe, 0, text.length + 2]),
    Buffer.from(text),
    bytes.subarray(2),
  ]);
const list = async (likeness?: string, as = me): Promise<Json[]> => {
  const query = likeness ? `?likeness=${likeness}` : '';
  return (await call(app, `GET /duplicates${query}` as 'GET /', { as })).body;
};
const match = async (likeness?: string) => {
  await matchAll(database);
  return list(likeness);
};

describe('identical', () => {
  test('are files of the same pixels with other metadata or lossless compression', async () => {
    const bytes = await jpeg();
    const one = await add(bytes, 'one.jpg');
    const two = await add(withComment(bytes, 'edited by a tool'), 'two.jpg');
    const three = await add(
      await sharp(bytes).png({ compressionLevel: 9 }).toBuffer(),
      'three.png',
    );
    const [set, ...others] = await match();
    expect(others).toEqual([]);
    expect(set).toMatchObject({
      likeness: 'identical',
      suggestedKeepAssetIds: [expect.any(String)],
    });
    expect(getIds(set)).toEqual([one, two, three].sort());
    expect(await list('identical')).toHaveLength(1);
    const { body } = await call(app, 'GET /duplicates/summary', { as: me });
    expect(body.identical).toMatchObject({ sets: 1, spareAssets: 2 });
  });

  test('is known again when another copy comes', async () => {
    const bytes = await jpeg();
    await add(bytes, 'one.jpg');
    await add(withComment(bytes, 'two'), 'two.jpg');
    await match();
    await add(withComment(bytes, 'three'), 'three.jpg');
    const [set] = await match();
    expect([set.likeness, set.assets.length]).toEqual(['identical', 3]);
  });

  test('are not copies of another quality or size, which are suggested one by one', async () => {
    const large = await add(await jpeg(), 'one.jpg');
    await add(await jpeg(40), 'two.jpg');
    await add(
      await sharp(await jpeg())
        .resize(120)
        .jpeg()
        .toBuffer(),
      'three.jpg',
      { width: 120, height: 80 },
    );
    const [set] = await match();
    expect(set).toMatchObject({ likeness: 'copy', suggestedKeepAssetIds: [large] });
    expect(await list('identical')).toEqual([]);
  });

  test('is not a picture with a video, nor an edited one, nor one turned another way', async () => {
    const bytes = await jpeg();
    await add(bytes, 'one.jpg');
    const video = await seed(database).asset({
      ownerId: me.id,
      type: 'VIDEO',
      visibility: 'hidden',
    });
    await add(withComment(bytes, 'live'), 'live.jpg', { liveVideoId: video });
    const edited = await add(withComment(bytes, 'edited'), 'edited.jpg');
    await database.sql`insert into asset_edit (asset_id, position, action, parameters)
      values (${edited}, 0, 'rotate', '{"angle": 90}')`;
    const turned = await sharp(bytes)
      .keepMetadata()
      .withMetadata({ orientation: 3 })
      .jpeg()
      .toBuffer();
    await add(turned, 'turned.jpg');
    await match();
    expect(await list('identical')).toEqual([]);
  });

  test('is not a file that is damaged or gone', async () => {
    const bytes = await jpeg();
    await add(bytes, 'one.jpg');
    const cut = withComment(bytes, 'cut').subarray(0, bytes.length - 100);
    const id = await seed(database).asset({ ownerId: me.id, ...SIZE });
    await addThumbnail(database, id, bytes);
    await saveFeature(database, { assetId: id, ownerId: me.id }, [1, 0, 0, 0]);
    const damaged = await addFile(
      database,
      { name: 'cut.jpg', bytes: cut },
      { ownerId: me.id, ...SIZE },
    );
    await addThumbnail(database, damaged, bytes);
    await saveFeature(database, { assetId: damaged, ownerId: me.id }, [1, 0, 0, 0]);
    const [set] = await match();
    expect([set.likeness, set.assets.length]).toEqual(['copy', 3]);
  });
});

describe('what only looks the same', () => {
  test('is no duplicate when other text was recognised in it', async () => {
    for (const name of ['001', '002', '003']) {
      const id = await add(await picture(name).jpeg().toBuffer(), `${name}.jpg`);
      await database.sql`insert into document (asset_id, model_id, folded)
        values (${id}, 'text', ${`invoice no ${name} for a chair`})`;
    }
    expect(await match()).toEqual([]);
    expect(await list('burst')).toEqual([]);
  });

  const FORM = 'application for membership name street town occupation declare true rules society';
  const addPage = async (text: string, quality = 90) => {
    const id = await add(await picture('form').jpeg({ quality }).toBuffer(), 'form.jpg');
    await database.sql`insert into document (asset_id, model_id, folded)
      values (${id}, 'text', ${text})`;
  };

  test('646: is no duplicate when it is another page of one layout', async () => {
    const filled = ['anna berg carpenter', 'karl stein painter', 'rosa lind gardener'];
    for (const [at, words] of filled.entries()) await addPage(`${FORM} ${words}`, 90 - at);
    expect(await match()).toEqual([]);
  });

  test('646: is a duplicate when a small copy of a page was misread', async () => {
    await addPage(`${FORM} anna berg carpenter`);
    await addPage('applicatlon for mernbership name street town decl are true rules anna bcrg', 60);
    const [set] = await match();
    expect(set.assets).toHaveLength(2);
  });

  test('is a burst when one camera took it in succession: no duplicate, offered as a stack', async () => {
    const shots: string[] = [];
    for (const at of ['00.100', '00.300', '00.500']) {
      const bytes = await jpeg(80 + shots.length);
      const shotAt = `2024-05-01T12:00:${at}Z`;
      shots.push(await add(bytes, `${at}.jpg`, { model: 'Acme', shotAt }));
    }
    const late = { model: 'Acme', shotAt: '2024-05-01T12:30:00.100Z' };
    await add(await jpeg(60), 'later.jpg', late);
    await add(await jpeg(61), 'other.jpg', { model: 'Other', shotAt: '2024-05-01T12:00:00.100Z' });
    expect(await match()).toEqual([]);
    const [burst, ...others] = await list('burst');
    expect(others).toEqual([]);
    expect(getIds(burst)).toEqual(shots.toSorted());
    expect(burst.suggestedKeepAssetIds.toSorted()).toEqual(shots.toSorted());
    expect(burst.assets[0].duplicateId).toBeNull();
    const { body: summary } = await call(app, 'GET /duplicates/summary', { as: me });
    expect(summary).toMatchObject({ sets: 0, spareAssets: 0, bursts: 1 });
    const { body: shown } = await call(app, `GET /assets/${shots[0]}`, { as: me });
    expect(shown.duplicateId).toBeNull();
    const [keepAssetIds, trashAssetIds] = [shots.slice(0, 1), shots.slice(1)];
    const { body } = await call(app, 'POST /duplicates/resolve', {
      as: me,
      body: { groups: [{ duplicateId: burst.duplicateId, keepAssetIds, trashAssetIds }] },
    });
    expect(body).toMatchObject([{ success: false }]);
    expect(await list('burst', await seed(database).user())).toEqual([]);
    await call(app, 'DELETE /duplicates', { as: me, body: { ids: [burst.duplicateId] } });
    expect(await list('burst')).toEqual([]);
  });

  test('is no burst any more once it is a stack', async () => {
    const [one, two] = await Promise.all(
      ['00.100', '00.300'].map(async (at, n) =>
        add(await jpeg(80 + n), `${at}.jpg`, { model: 'Acme', shotAt: `2024-05-01T12:00:${at}Z` }),
      ),
    );
    expect(await match('burst')).toHaveLength(1);
    const stackId = await addStack(database, me.id, one!);
    await database.sql`update asset set stack_id = ${stackId} where id = ${two!}`;
    expect(await list('burst')).toEqual([]);
  });
});
