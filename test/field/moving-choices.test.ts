import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import sharp from 'sharp';
import { openImportFolder } from '../support/imports.ts';
import { PHOTO_TIME, toJson, useFieldImports, YEAR } from '../support/field-imports.ts';

// Dates that the person trusts, and links that other programs make: README.md has the public threads.

setDefaultTimeout(300_000);

const { photo, write, run, listAlbums, getPath } = useFieldImports();

let made = 0;
/** A photo with this time of capture. */
const taken = (clock: string): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 200 + ++made, channels: 3, background: '#963' } })
    .withExif({ IFD2: { DateTimeOriginal: clock } })
    .jpeg()
    .toBuffer();

const SCANNED = '2023-05-06T10:00:00.000Z';
const SAID = '1985-07-08T12:00:00.000Z';

const writeScans = async () =>
  write({
    [`${YEAR}/scan.jpg`]: await taken('2023:05:06 10:00:00'),
    [`${YEAR}/scan.jpg.json`]: toJson('scan.jpg', SAID, { description: 'Lake' }),
    [`${YEAR}/IMG_19800101_000000.jpg`]: await taken('2023:05:06 10:00:00'),
    [`${YEAR}/IMG_19800101_000000.jpg.json`]: toJson('IMG_19800101_000000.jpg', SAID),
    // The clock of another zone.
    [`${YEAR}/far.jpg`]: await taken('2019:04:01 21:30:00'),
    [`${YEAR}/far.jpg.json`]: toJson('far.jpg', PHOTO_TIME),
    [`${YEAR}/undated.jpg`]: await taken('2023:05:06 10:00:00'),
    [`${YEAR}/undated.jpg.json`]: toJson('undated.jpg', '1970-01-01T00:00:00.000Z'),
  });
const dates = (items: Awaited<ReturnType<typeof run>>['items']) =>
  Object.fromEntries(Object.entries(items).map(([name, { takenAt }]) => [name, takenAt]));

test('496: the date of the file counts, and that of the export if the person trusts it more, also later', async () => {
  await writeScans();
  const before = {
    'scan.jpg': SCANNED,
    'IMG_19800101_000000.jpg': SCANNED,
    'far.jpg': '2019-04-01T21:30:00.000Z',
    'undated.jpg': SCANNED,
  };
  expect(dates((await run()).items)).toEqual(before);
  const trusted = await run({ trustsDates: true });
  expect(dates(trusted.items)).toEqual({
    ...before,
    'scan.jpg': SAID,
    'IMG_19800101_000000.jpg': SAID,
  });
  expect([trusted.report.taken, trusted.items['scan.jpg']?.description]).toEqual([0, 'Lake']);
  // A run without it takes nothing back.
  expect(dates((await run()).items)).toEqual(dates(trusted.items));
});

test('497: an XMP file beside a scan counts more than the export', async () => {
  await writeScans();
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      exif:DateTimeOriginal="1984-01-02T03:04:05"/></rdf:RDF></x:xmpmeta>`;
  await write({ [`${YEAR}/scan.jpg.xmp`]: xmp });
  const { items } = await run({ trustsDates: true });
  expect(items['scan.jpg']?.takenAt).toBe('1984-01-02T03:04:05.000Z');
});

test('498: albums of symbolic links to photos of the folder get those, and no link is followed out of it', async () => {
  const other = await openImportFolder();
  await other.write({ 'secret.jpg': await photo(), 'more/secret.jpg': await photo() });
  await write({
    'ALL_PHOTOS/a.jpg': await photo(),
    'ALL_PHOTOS/b.jpg': await photo(),
    'Rome/c.jpg': await photo(),
  });
  const link = (target: string, name: string) => symlink(target, join(getPath(), name));
  await link('../ALL_PHOTOS/a.jpg', 'Rome/a.jpg');
  await link(join(getPath(), 'ALL_PHOTOS/b.jpg'), 'Rome/other name.jpg');
  await link(join(other.path, 'secret.jpg'), 'Rome/secret.jpg');
  await link(join(other.path, 'more'), 'Rome/more');
  await link('../ALL_PHOTOS', 'Rome/all');
  await link('gone.jpg', 'Rome/gone.jpg');
  const dry = await run({ namesAlbums: true, isDryRun: true });
  const { report, notes } = await run({ namesAlbums: true });
  expect(report.taken).toBe(3);
  expect(await listAlbums()).toMatchObject([
    { name: 'ALL_PHOTOS', items: ['a.jpg', 'b.jpg'] },
    { name: 'Rome', items: ['a.jpg', 'b.jpg', 'c.jpg'] },
  ]);
  const left = ['all', 'gone.jpg', 'more', 'secret.jpg'].map((name) => `Rome/${name}`);
  expect(Object.keys(notes).sort()).toEqual(left);
  expect([dry.notes, dry.report.albumItems]).toEqual([notes, report.albumItems]);
  await other.remove();
});

test('499: a link to what is in the trash of an export takes nothing in', async () => {
  const google = 'Takeout/Google Photos';
  await write({
    [`${YEAR}/binned.jpg`]: await photo(),
    [`${YEAR}/binned.jpg.json`]: toJson('binned.jpg', PHOTO_TIME, { trashed: true }),
    [`${YEAR}/locked.jpg`]: await photo(),
    [`${YEAR}/locked.jpg.json`]: toJson('locked.jpg', PHOTO_TIME, { inLockedFolder: true }),
    [`${google}/Rome/metadata.json`]: { title: 'Rome' },
  });
  for (const name of ['binned.jpg', 'locked.jpg']) {
    await symlink(`../Photos from 2019/${name}`, join(getPath(), google, 'Rome', name));
  }
  const { report } = await run();
  expect([report, await listAlbums()]).toMatchObject([{ taken: 1, skipped: 1 }, []]);
});
