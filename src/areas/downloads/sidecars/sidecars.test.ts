import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { useHousehold } from '../../../../test/support/database.ts';
import { type Caller, type NewAsset, seed, send } from '../../../../test/support/harness.ts';
import { listRefusedCallers } from '../../../../test/support/household.ts';
import type { Json } from '../../../../test/support/json.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { sha256 } from '../../../core/hash.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { listEntryNames } from '../../../../test/support/zip-entries.ts';
import { formatXmp } from '../../../media/xmp.ts';

const { database, app, house } = await useHousehold();
const folder = await mkdtemp(join(tmpdir(), 'safelight-sidecars-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VALUES = {
  localTakenAt: '2024-02-29T13:14:16.500',
  offsetMinutes: -210,
  latitude: -33.856784,
  longitude: 151.215297,
  city: 'Sydney',
  state: null,
  country: 'Australia',
  rating: 4,
  description: 'Opera <at> "night" & more\u0007\nsecond line',
  tags: ['Travel|Japan', 'Sea'],
  people: ['Ada', 'Bo & Co'],
};

async function readTags(xmp: string): Promise<Json> {
  const path = join(folder, `${crypto.randomUUID()}.xmp`);
  await Bun.write(path, xmp);
  const program = Bun.spawn(['exiftool', '-j', '-n', '-G1', path]);
  return (await new Response(program.stdout).json())[0];
}

test('ExifTool reads from a sidecar what was written into it', async () => {
  const tags = await readTags(formatXmp(VALUES));
  expect(tags).toMatchObject({
    'XMP-exif:DateTimeOriginal': '2024:02:29 13:14:16.500-03:30',
    'XMP-photoshop:City': 'Sydney',
    'XMP-photoshop:Country': 'Australia',
    'XMP-xmp:Rating': 4,
    'XMP-dc:Description': 'Opera <at> "night" & more\nsecond line',
    'XMP-dc:Subject': ['Japan', 'Sea'],
    'XMP-lr:HierarchicalSubject': ['Travel|Japan', 'Sea'],
    'XMP-iptcExt:PersonInImage': ['Ada', 'Bo & Co'],
  });
  expect(tags['XMP-exif:GPSLatitude']).toBeCloseTo(VALUES.latitude, 6);
  expect(tags['XMP-exif:GPSLongitude']).toBeCloseTo(VALUES.longitude, 6);
  expect(tags['XMP-photoshop:State']).toBeUndefined();
});

test('a sidecar without a place, rating or zone has no such properties', async () => {
  const none = { latitude: null, longitude: null, city: null, country: null, rating: null };
  const tags = await readTags(
    formatXmp({ ...VALUES, ...none, offsetMinutes: null, description: '', tags: [], people: [] }),
  );
  expect(
    Object.keys(tags)
      .filter((name) => name.startsWith('XMP-'))
      .toSorted(),
  ).toEqual(['XMP-exif:DateTimeOriginal', 'XMP-photoshop:DateCreated']);
});

async function add(over: NewAsset): Promise<string> {
  const text = crypto.randomUUID();
  const digest = sha256(text);
  const path = originalPath(database.deps.paths, digest);
  mkdirSync(dirname(path), { recursive: true });
  await Bun.write(path, text);
  return seed(database).asset({ sha256: digest, fileSize: text.length, ...over });
}

const download = (assetIds: readonly string[], caller: Caller) =>
  send(app, 'POST /download/archive-with-sidecars', { ...caller, body: { assetIds } });

test('an archive has a sidecar behind each file of the caller, and none of others', async () => {
  const { owner, partner, viewer } = house;
  const exif = { description: 'At the sea', rating: 5 };
  const own = [
    await add({ ownerId: owner.id, fileName: 'a.jpg', exif }),
    await add({ ownerId: owner.id, fileName: 'a.jpg' }),
  ];
  const { id: personId } = await addPerson(database, { ownerId: owner.id, name: 'Ada Byron' });
  await addFace(database, { ownerId: owner.id, assetId: own[0]!, personId });
  const hidden = { ownerId: owner.id, name: 'Nobody Special', isHidden: true };
  const { id: hiddenId } = await addPerson(database, hidden);
  await addFace(database, { ownerId: owner.id, assetId: own[0]!, personId: hiddenId });
  const theirs = await add({ ownerId: partner.id, fileName: 'b.jpg', exif });
  const zip = await (await download([...own, theirs], { as: owner })).bytes();
  expect(listEntryNames(zip)).toEqual(['a.jpg', 'a.jpg.xmp', 'a+1.jpg', 'a+1.jpg.xmp', 'b.jpg']);
  const text = Buffer.from(zip).toString();
  expect(text).toContain('At the sea');
  expect(text).toContain('Ada Byron');
  expect(text).not.toContain('Nobody Special');
  const seen = await (await download([own[0]!], { as: viewer })).text();
  expect(seen).not.toContain('At the sea');
});

test('what the caller does not see, guests and keys without the permission get nothing', async () => {
  const id = await add({ ownerId: house.owner.id });
  for (const [caller, status] of await listRefusedCallers(database, house)) {
    expect((await download([id], caller)).status).toBe(status);
  }
  expect((await download([house.ids.locked], { as: house.owner })).status).toBe(400);
});
