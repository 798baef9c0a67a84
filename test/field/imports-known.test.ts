import { expect, setDefaultTimeout, test } from 'bun:test';
import { PHOTO_TIME, toJson, useFieldImports, YEAR } from '../support/field-imports.ts';

// Exports of what the library has in part: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, setTime, describe, run } = useFieldImports();

test('80: another version of the clip of a photo that the library has is treated as that is', async () => {
  const stills: Record<string, Buffer> = {};
  const ids: Record<string, string> = {};
  for (const name of ['Live', 'Locked', 'LockedLive', 'Trashed', 'Plain']) {
    const id = (ids[name] = crypto.randomUUID());
    stills[name] = await photo(id);
    await write({ [`phone/${name}.JPG`]: stills[name] });
    if (name.endsWith('Live')) await write({ [`phone/${name}.MOV`]: await video(id) });
  }
  await run();
  for (const name of ['Locked', 'LockedLive']) await setTime(`${name}.JPG`, 'locked_at');
  await setTime('LockedLive.MOV', 'locked_at');
  await setTime('Trashed.JPG', 'trashed_at');
  for (const [name, still] of Object.entries(stills)) {
    await write({
      [`google/${YEAR}/${name}.JPG`]: still,
      [`google/${YEAR}/${name}.JPG.json`]: toJson(`${name}.JPG`, PHOTO_TIME),
      [`google/${YEAR}/${name}.MP4`]: await video(ids[name]),
    });
  }
  const { items, notes } = await run();
  expect(Object.keys(notes).filter((path) => !path.startsWith('phone/'))).toEqual([]);
  expect(items).toMatchObject({
    'Live.JPG': { isShown: true, video: 'Live.MOV' },
    'Locked.JPG': { isLocked: true, video: 'Locked.MP4' },
    'Locked.MP4': { isLocked: true, isShown: false },
    'LockedLive.JPG': { isLocked: true, video: 'LockedLive.MOV' },
    'Plain.JPG': { isShown: true, video: 'Plain.MP4' },
    'Plain.MP4': { isShown: false },
  });
  for (const name of ['Live.MP4', 'LockedLive.MP4', 'Trashed.MP4']) {
    expect(items).not.toHaveProperty([name]);
  }
});

test('81: a second run changes nothing, whatever the first one has paired, locked or left out', async () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const facts = (name: string, over: object = {}) => ({
    [`${YEAR}/${name}.json`]: toJson(name, PHOTO_TIME, { description: name, ...over }),
  });
  await write({
    [`${YEAR}/A.JPG`]: await photo(),
    [`${YEAR}/A.MP4`]: await video(),
    ...facts('A.JPG'),
    ...facts('A.MP4'),
    [`${YEAR}/B.JPG`]: await photo(one),
    [`${YEAR}/B_3.MOV`]: await video(one),
    ...facts('B.JPG', { inLockedFolder: true }),
    [`${YEAR}/C.JPG`]: await photo(two),
    ...facts('C.JPG', { inLockedFolder: true }),
    'Takeout/Google Photos/Rome/C.MOV': await video(two),
    'Takeout/Google Photos/Rome/metadata.json': { title: 'Rome' },
    [`${YEAR}/D.JPG`]: await photo(),
    [`${YEAR}/D.MP4`]: await video(),
    ...facts('D.JPG', { trashed: true }),
    [`${YEAR}/E.JPG`]: await photo(),
    [`${YEAR}/E.MP4`]: await video(),
    ...facts('E.JPG', { favorited: true }),
  });
  const first = await run();
  expect(first.report).toMatchObject({ taken: 8, skipped: 2, livePhotos: 2 });
  expect(first.items).toMatchObject({ 'C.JPG': { isLocked: true, video: 'C.MOV', albums: [] } });
  const before = await describe();
  const second = await run();
  const { taken, duplicates, skipped, albumItems } = second.report;
  expect([taken, duplicates, skipped, albumItems]).toEqual([0, 8, 2, 0]);
  expect(second.items).toEqual(first.items);
  expect(await describe()).toEqual(before);
});
