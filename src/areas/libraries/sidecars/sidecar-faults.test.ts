import { expect, test } from 'bun:test';
import { readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../../test/support/libraries.ts';
import { mountDisk, mountReadOnly, unmount } from '../../../../test/support/mounts.ts';
import { isMachineFault } from '../../../jobs/machine-faults.ts';
import {
  FOREIGN,
  getLibrary,
  getState,
  listFiles,
  readMetadata,
  readTags,
  run,
  takeIn,
  update,
  useSidecarLibrary,
  write,
} from '../../../../test/support/sidecar-library.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';

useSidecarLibrary();

test('a sidecar that is no XMP stays as it is, and is told', async () => {
  const { folder } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  await writeFile(join(folder, 'a.jpg.xmp'), '<broken');
  await update(id, { rating: 5 });
  await write();
  expect(await Bun.file(join(folder, 'a.jpg.xmp')).text()).toBe('<broken');
  const state = await getState();
  expect(state.unwrittenSidecars).toBe(1);
  expect(state.sidecarError).toContain('XMP');
  await rm(join(folder, 'a.jpg.xmp'));
  expect(await write()).toBe(0);
  expect(await write(() => new Date(Date.now() + 2 * 60 * 60_000))).toBe(1);
  expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-xmp:Rating': 5 });
});

test('links are not followed: neither the sidecar nor a folder', async () => {
  const { folder } = getLibrary();
  const outside = await makeFolder();
  await writeFile(join(outside, 'target'), 'theirs');
  const ids = await takeIn('a.jpg', 'sub/b.jpg');
  await symlink(join(outside, 'target'), join(folder, 'a.jpg.xmp'));
  for (const id of Object.values(ids)) await update(id, { rating: 5 });
  await rename(join(folder, 'sub'), join(outside, 'moved'));
  await symlink(join(outside, 'moved'), join(folder, 'sub'));
  await write();
  expect(await Bun.file(join(outside, 'target')).text()).toBe('theirs');
  expect((await readdir(outside, { recursive: true })).toSorted()).toEqual([
    'moved',
    'moved/b.jpg',
    'target',
  ]);
  expect(await getState()).toMatchObject({ unwrittenSidecars: 2 });
});

skipWithout('read-only mounts').test(
  'a folder that may not be written to delays its items only, until a scan by hand',
  async () => {
    const { folder } = getLibrary();
    const ids = await takeIn('a.jpg', 'sub/b.jpg');
    const sub = join(folder, 'sub');
    mountReadOnly(sub, sub);
    try {
      for (const id of Object.values(ids)) await update(id, { rating: 5 });
      await write();
      expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp', 'sub', 'sub/b.jpg']);
      const { unwrittenSidecars, sidecarError } = await getState();
      expect(unwrittenSidecars).toBe(1);
      expect(sidecarError).toBe(`${sub} is on a read-only file system`);
    } finally {
      unmount(sub);
    }
    expect(await write()).toBe(0);
    await run();
    expect(await write()).toBe(1);
    expect(await listFiles()).toContain('sub/b.jpg.xmp');
    expect(await getState()).toMatchObject({ unwrittenSidecars: 0, sidecarError: null });
  },
);

skipWithout('tmpfs').test(
  'a full disk is a fault of the machine, and leaves the old sidecar',
  async () => {
    const { folder } = getLibrary();
    mountDisk(folder, 65_536);
    try {
      await writeFile(join(folder, 'a.jpg.xmp'), FOREIGN);
      const { 'a.jpg': id = '' } = await takeIn('a.jpg');
      await writeFile(join(folder, 'filler'), Buffer.alloc(65_536)).catch(() => {});
      await update(id, { rating: 5 });
      const error: unknown = await write().catch((thrown) => thrown);
      expect(isMachineFault(error)).toBe(true);
      expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp', 'filler']);
      expect(await Bun.file(join(folder, 'a.jpg.xmp')).text()).toBe(FOREIGN);
      await rm(join(folder, 'filler'));
      expect(await write()).toBe(1);
      expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-xmp:Rating': 5 });
    } finally {
      unmount(folder);
    }
  },
);

test('a crash leaves a draft or an unrecorded sidecar, with which the next try ends', async () => {
  const { database, folder } = getLibrary();
  const { 'a.jpg': id = '' } = await takeIn('a.jpg');
  const draft = join(folder, `.safelight-${Bun.hash('a.jpg.xmp').toString(36)}.tmp`);
  await writeFile(draft, 'half');
  await update(id, { rating: 5 });
  await write();
  expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp']);
  await database.sql`delete from library_file where is_sidecar`;
  await database.sql`delete from asset_file where asset_id = ${id}`;
  await database.sql`insert into sidecar_change (asset_id, fields) values (${id}, '{rating}')`;
  expect(await write()).toBe(1);
  await run();
  expect(await readMetadata()).toBe(0);
  expect(await write()).toBe(0);
  expect(await listFiles()).toEqual(['a.jpg', 'a.jpg.xmp']);
  expect(await readTags('a.jpg.xmp')).toMatchObject({ 'XMP-xmp:Rating': 5 });
});
