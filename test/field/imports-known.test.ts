import { expect, setDefaultTimeout, test } from 'bun:test';
import { PHOTO_TIME, toJson, useFieldImports, YEAR } from '../support/field-imports.ts';

// Exports of what the library has in part: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, video, write, setTime, run } = useFieldImports();

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
