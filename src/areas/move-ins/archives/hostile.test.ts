import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useArchiveMoves } from '../../../../test/support/archive-moves.ts';
import { useApp } from '../../../../test/support/database.ts';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { makeZip, type ZipEntry } from '../../../../test/support/zips.ts';
import { getUnpackedPath } from './files.ts';

// ZIP files that were made to do harm, or are damaged: what is good in them is unpacked, and the rest is named.

const used = await useApp();
const { database, app } = used;
const { paths } = database.deps;
const { announce, read, listFailures, unpack } = useArchiveMoves(used);
let me: TestUser;

beforeEach(async () => {
  me = await seed(database).user(['all']);
});
afterEach(async () => {
  await database.sql`delete from operation`;
  await database.sql`delete from job`;
});

const GOOD = { name: 'good.jpg', content: 'good' };

/** Returns the files that were made, and what is listed. */
async function unpackEntries(entries: readonly ZipEntry[]) {
  return unpackBytes(makeZip([...entries, GOOD]));
}

async function unpackBytes(bytes: Uint8Array) {
  const id = await unpack(me, [{ name: 'a.zip', bytes }]);
  const root = getUnpackedPath(paths, id);
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 3));
  return { id, files: files.toSorted(), failures: await listFailures(me, id), root };
}

const OUTSIDE = 'Its name leads out of the archive, or is too long';

test('names that lead out of the folder make no file', async () => {
  const names = [
    '../x.jpg',
    'a/../../x.jpg',
    '/x.jpg',
    String.raw`..\x.jpg`,
    'C:/x.jpg',
    'c:x.jpg',
  ];
  const { files, failures } = await unpackEntries(names.map((name) => ({ name, content: 'x' })));
  expect(files).toEqual(['good.jpg']);
  const listed = names.map((name) => [`a.zip/${name.replaceAll('\\', '/')}`, OUTSIDE]);
  expect(failures).toEqual(listed as [string, string][]);
  for (const path of [
    join(paths.incoming, 'x.jpg'),
    join(paths.incoming, 'archives/x.jpg'),
    '/x.jpg',
  ])
    expect(existsSync(path)).toBe(false);
});

test('links, devices and encrypted entries are named and left out', async () => {
  const { files, failures } = await unpackEntries([
    { name: 'link', content: '/etc/passwd', mode: 0o120777 },
    { name: 'link/inside.jpg', content: 'x' },
    { name: 'device', mode: 0o060644 },
    { name: 'pipe', mode: 0o010644 },
    { name: 'secret.jpg', content: 'x', isEncrypted: true },
  ]);
  expect(files).toEqual(['good.jpg', 'link/inside.jpg']);
  expect(failures).toEqual([
    ['a.zip/link', 'It is a symbolic link'],
    ['a.zip/device', 'It is no regular file'],
    ['a.zip/pipe', 'It is no regular file'],
    ['a.zip/secret.jpg', 'It is encrypted'],
  ]);
});

test('of entries with one name the first counts, and another case is another file', async () => {
  const { files, failures, root } = await unpackEntries([
    { name: 'x/a.jpg', content: 'first' },
    { name: 'x/./a.jpg', content: 'second' },
    { name: 'x/A.jpg', content: 'third' },
    { name: 'x/a.jpg/below.jpg', content: 'fourth' },
  ]);
  expect(files).toEqual(['good.jpg', 'x/A.jpg', 'x/a.jpg']);
  expect(await readFile(join(root, 'a/x/a.jpg'), 'utf8')).toBe('first');
  const TAKEN = 'The archive has another entry of this name';
  expect(failures).toEqual([
    ['a.zip/x/./a.jpg', TAKEN],
    ['a.zip/x/a.jpg/below.jpg', TAKEN],
  ]);
});

test('damaged entries are named, and the others are unpacked', async () => {
  const DAMAGED = 'Its bytes in the archive are damaged: download the archive again';
  const { files, failures } = await unpackEntries([
    { name: 'crc.jpg', content: 'x', crc: 1 },
    { name: 'short.jpg', content: 'xxxx', size: 2 },
    { name: 'long.jpg', content: 'xxxx', size: 9 },
    { name: 'method.jpg', content: 'xxxx', method: 9 },
    { name: 'odd.jpg', content: 'no deflate', isStored: true, method: 8 },
  ]);
  expect(files).toEqual(['good.jpg']);
  expect(failures).toEqual([
    ['a.zip/crc.jpg', DAMAGED],
    ['a.zip/short.jpg', DAMAGED],
    ['a.zip/long.jpg', DAMAGED],
    ['a.zip/method.jpg', 'It is compressed in a way that is not supported'],
    ['a.zip/odd.jpg', DAMAGED],
  ]);
});

test.each([
  ['overlapping entries', makeZip([GOOD, { ...GOOD, name: 'b', sharesWith: 0 }]), /overlap/],
  ['a bomb', makeZip([{ ...GOOD, size: 2 ** 31 }]), /far more than its own size/],
  ['a file that ends early', makeZip([GOOD]).subarray(0, -30), /ends early/],
  ['a damaged directory', makeZip([GOOD]).fill(0, 44, 80), /is damaged/],
  ['a .tgz', Bun.gzipSync('x'), /\.tgz archive: choose ZIP/],
  ['another file', Buffer.from('%PDF-1.4'), /no ZIP/],
])('nothing of %s is unpacked, and it is named', async (_, bytes, reason) => {
  const { id, files, failures } = await unpackBytes(bytes);
  expect([files, failures.map(([name]) => name)]).toEqual([[], ['a.zip']]);
  expect(failures[0]?.[1]).toMatch(reason);
  expect(await read(me, id)).toMatchObject({ status: 'waiting', found: { photos: 0 } });
});

test('an archive in an archive is listed, and not unpacked', async () => {
  const { id, files, failures } = await unpackEntries([
    { name: 'x/inner.zip', content: makeZip([{ name: 'b.jpg', content: 'b' }]) },
  ]);
  expect([files, failures]).toEqual([['good.jpg'], []]);
  expect(await read(me, id)).toMatchObject({ noted: 1 });
  const { body } = await call(app, `GET /move-ins/${id}/report`, { as: me });
  expect(body).toContain('listed,a.zip/x/inner.zip,an archive that is not unpacked');
});

test('names are read in the encoding they have, and cut where they are too long', async () => {
  const long = `${'é'.repeat(300)}.jpg`;
  const { files } = await unpackEntries([
    { name: Buffer.from([0x82, 0x2e, 0x6a, 0x70, 0x67]), content: 'CP437' },
    { name: Buffer.from('ü.jpg'), content: 'UTF-8 without its flag' },
    { name: `x/${long}`, content: 'long' },
  ]);
  const cut = files.find((name) => name.startsWith('x/')) ?? '';
  expect(files).toEqual(['good.jpg', cut, 'é.jpg', 'ü.jpg'].toSorted());
  expect(cut).toMatch(/^x\/é+~[\da-f]{8}\.jpg$/);
  expect(Buffer.byteLength(cut.slice(2))).toBeLessThanOrEqual(255);
});

test('files with other names are refused before anything is sent', async () => {
  const zip = { name: 'a.zip', bytes: randomFileBytes(10) };
  for (const [name, code] of [
    ['b.tgz', 'archive_tgz'],
    ['b.jpg', 'archive_not_zip'],
  ] as const) {
    const { status, body } = await announce(me, [zip, { ...zip, name }]);
    expect([status, body.errors[0]]).toMatchObject([400, { code, path: ['archives', 1, 'name'] }]);
  }
});
