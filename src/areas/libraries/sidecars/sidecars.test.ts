import { describe, expect, test } from 'bun:test';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, seed } from '../../../../test/support/harness.ts';
import {
  addTags,
  FOREIGN,
  getLibrary,
  getState,
  listFiles,
  readMetadata,
  readTags,
  run,
  setWanted,
  takeIn,
  update,
  useSidecarLibrary,
  write,
} from '../../../../test/support/sidecar-library.ts';

useSidecarLibrary();

test('what people change is written beside the photo, and the photo stays as it is', async () => {
  const { folder } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  const before = await Bun.file(join(folder, 'a.jpg')).bytes();
  await update(id, {
    description: 'At the <sea>',
    rating: 4,
    latitude: 48.5,
    longitude: -2.25,
    dateTimeOriginal: '2020-05-06T07:08:09.000+02:00',
  });
  await readMetadata();
  await addTags(id, 'Travel/Japan', 'Sea');
  expect(await listFiles()).toEqual(['a.jpg']);
  expect(await write()).toBe(1);
  expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp']);
  expect(await readTags('a.jpg.xmp')).toMatchObject({
    'XMP-dc:Description': 'At the <sea>',
    'XMP-xmp:Rating': 4,
    'XMP-exif:GPSLatitude': 48.5,
    'XMP-exif:GPSLongitude': -2.25,
    'XMP-exif:DateTimeOriginal': '2020:05:06 07:08:09.000+02:00',
    'XMP-dc:Subject': ['Sea', 'Japan'],
    'XMP-lr:HierarchicalSubject': ['Sea', 'Travel|Japan'],
  });
  expect(await Bun.file(join(folder, 'a.jpg')).bytes()).toEqual(before);
  const { mode } = await stat(join(folder, 'a.jpg.xmp'));
  expect(mode & 0o777).toBe((await stat(join(folder, 'a.jpg'))).mode & 0o777);
  expect(await write()).toBe(0);
});

test('only what was changed is written, and nothing for what nobody has changed', async () => {
  const ids = await takeIn('a.jpg', 'b.jpg');
  await update(ids['a.jpg']!, { rating: 2 });
  await write();
  expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp', 'b.jpg']);
  const tags = await readTags('a.jpg.xmp');
  const names = Object.keys(tags).filter((name) => name.startsWith('XMP-'));
  expect(names).toEqual(['XMP-xmp:Rating']);
});

test('a scan does not take what was written for a change', async () => {
  const { folder } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  await update(id, { description: 'mine' });
  await write();
  await run();
  expect(await readMetadata()).toBe(0);
  expect(await getState()).toMatchObject({
    unreadFiles: 0,
    refusedFiles: 0,
    unwrittenSidecars: 0,
    sidecarError: null,
  });
  expect(await write()).toBe(0);
  // Another program changes it: the scan sees that, and nothing is written for it.
  await writeFile(join(folder, 'a.jpg.xmp'), FOREIGN);
  await run();
  expect(await readMetadata()).toBe(1);
  expect(await write()).toBe(0);
  expect(await Bun.file(join(folder, 'a.jpg.xmp')).text()).toBe(FOREIGN);
});

describe('a sidecar of another program', () => {
  test('keeps what was not changed', async () => {
    const { folder } = getLibrary();
    await writeFile(join(folder, 'a.xmp'), FOREIGN);
    const { 'a.jpg': id = '' } = await takeIn('a.jpg');
    await update(id, { description: 'mine' });
    await addTags(id, 'Sea');
    await write();
    expect(await listFiles()).toEqual(['a.jpg', 'a.xmp']);
    const tags = await readTags('a.xmp');
    expect(tags).toMatchObject({
      'XMP-dc:Description': 'mine',
      'XMP-dc:Description-de': 'ihres',
      'XMP-dc:Creator': ['Ada'],
      'XMP-xmp:Rating': 1,
      'XMP-darktable:Auto_presets_applied': 1,
      'XMP-exif:GPSAltitude': 90,
      'XMP-dc:Subject': ['Lisbon', 'Sea'],
      'XMP-lr:HierarchicalSubject': ['Places|Lisbon', 'Sea'],
    });
    // It would be read before the others.
    expect(tags['XMP-digiKam:TagsList']).toBeUndefined();
  });

  test('keeps tags that were added to it since it was read, and loses those that were removed here', async () => {
    const { app, folder, me } = getLibrary();
    await writeFile(join(folder, 'a.jpg.xmp'), FOREIGN.replaceAll('digiKam:TagsList', 'dc:x'));
    const { 'a.jpg': id = '' } = await takeIn('a.jpg');
    await addTags(id, 'Sea', 'Sky');
    await write();
    const theirs = await Bun.file(join(folder, 'a.jpg.xmp')).text();
    await writeFile(
      join(folder, 'a.jpg.xmp'),
      theirs.replace('<rdf:li>Sea</rdf:li>', '<rdf:li>Sea</rdf:li><rdf:li>New</rdf:li>'),
    );
    const { body: tags } = await call(app, 'GET /tags', { as: me });
    const sky = tags.find(({ value }: { value: string }) => value === 'Sky');
    expect((await call(app, `DELETE /tags/${sky.id}`, { as: me })).status).toBe(204);
    await write();
    expect((await readTags('a.jpg.xmp'))['XMP-dc:Subject'].toSorted()).toEqual([
      'Lisbon',
      'New',
      'Sea',
    ]);
  });

  test('loses the place and the description that are removed here', async () => {
    const { app, folder, me } = getLibrary();
    await writeFile(join(folder, 'a.jpg.xmp'), FOREIGN);
    const { 'a.jpg': id = '' } = await takeIn('a.jpg');
    await update(id, { description: 'mine', latitude: 48.5, longitude: -2.25, rating: 3 });
    await write();
    expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-exif:GPSLatitude': 48.5 });
    const body = { assetIds: [id], place: { kind: 'remove' }, description: '', rating: 0 };
    expect((await call(app, 'POST /metadata-changes', { as: me, body })).status).toBeLessThan(300);
    await write();
    const names = Object.keys(await readTags('a.jpg.xmp'));
    expect(names).toContain('XMP-dc:Creator');
    expect(names.filter((name) => /GPS|City|Description|Rating/.test(name))).toEqual([]);
  });

  test('of several files is copied to one of the changed file', async () => {
    const { folder } = getLibrary();
    await writeFile(join(folder, 'a.xmp'), FOREIGN);
    const { 'a.jpg': id = '' } = await takeIn('a.jpg', 'a.jpeg');
    await update(id, { rating: 5 });
    await write();
    expect(await listFiles()).toEqual(['a.jpeg', 'a.jpg', 'a.jpg.xmp', 'a.xmp']);
    expect(await Bun.file(join(folder, 'a.xmp')).text()).toBe(FOREIGN);
    expect(await readTags('a.jpg.xmp')).toMatchObject({
      'XMP-xmp:Rating': 5,
      'XMP-dc:Description': 'theirs',
    });
  });
});

test('Locked items get no sidecar before they are unlocked', async () => {
  const { database } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  await update(id, { description: 'secret' });
  await database.sql`update asset set locked_at = now() where id = ${id}`;
  expect(await write()).toBe(0);
  expect(await listFiles()).toEqual(['a.jpg']);
  await database.sql`update asset set locked_at = null where id = ${id}`;
  expect(await write()).toBe(1);
  expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp']);
});

test('nothing is written while the setting is off, nor later what was changed meanwhile', async () => {
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  await setWanted(false);
  await update(id, { rating: 5 });
  await addTags(id, 'Sea');
  expect(await write()).toBe(0);
  await setWanted(true);
  expect(await write()).toBe(0);
  await update(id, { rating: 4 });
  await setWanted(false);
  expect(await write()).toBe(0);
  await setWanted(true);
  expect(await write()).toBe(0);
  expect(await listFiles()).toEqual(['a.jpg']);
});

test('an uploaded item gets no sidecar', async () => {
  const { database, me } = getLibrary();
  const id = await seed(database).asset({ ownerId: me.id });
  await update(id, { rating: 5 });
  expect(await write()).toBe(0);
});

test('those who may not change an item cause no sidecar', async () => {
  const { app, database } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  const stranger = await seed(database).user();
  const reader = await seed(database).user(['asset.read']);
  for (const as of [stranger, reader]) {
    const { status } = await call(app, `PUT /assets/${id}`, { as, body: { rating: 5 } });
    expect(status).toBeGreaterThanOrEqual(400);
  }
  expect(await write()).toBe(0);
  expect(await listFiles()).toEqual(['a.jpg']);
});

test('a renamed tag is renamed in sidecars', async () => {
  const { database, me } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  await addTags(id, 'Sea');
  await write();
  await database.sql`update tag set value = 'Ocean' where owner_id = ${me.id} and value = 'Sea'`;
  await write();
  expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-dc:Subject': ['Ocean'] });
});

test('an undo restores what the sidecar had', async () => {
  const { app, folder, me } = getLibrary();
  await writeFile(join(folder, 'a.jpg.xmp'), FOREIGN);
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  const body = { assetIds: [id], description: 'mine', rating: 5 };
  const { body: change } = await call(app, 'POST /metadata-changes', { as: me, body });
  await write();
  expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-xmp:Rating': 5 });
  const undone = await call(app, `POST /metadata-changes/${change.id}/undo`, { as: me });
  expect([undone.status, undone.body.restored]).toEqual([200, 1]);
  await write();
  expect(await readTags('a.jpg.xmp')).toMatchObject({
    'XMP-xmp:Rating': 1,
    'XMP-dc:Description': 'theirs',
  });
});
