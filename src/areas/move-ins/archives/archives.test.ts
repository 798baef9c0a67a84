import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { useArchiveMoves } from '../../../../test/support/archive-moves.ts';
import { useApp } from '../../../../test/support/database.ts';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';
import { makeZip } from '../../../../test/support/zips.ts';
import { getMoveFolder, getPartPath } from './files.ts';

// An account takes in ZIP files of its own computer.

const used = await useApp();
const { database } = used;
const { sql } = database;
const { paths } = database.deps;
const { announce, send, start, run, read } = useArchiveMoves(used);
let me: TestUser;

beforeEach(async () => {
  me = await seed(database).user(['all']);
});
afterEach(async () => {
  await sql`delete from operation`;
  await sql`delete from job`;
});

const ROOT = 'Takeout/Google Photos';
/** An export whose album is in another part than its photo. */
const TAKEOUT = [
  {
    name: 'takeout-20250203T101010Z-001.zip',
    bytes: makeZip(
      [
        { name: `${ROOT}/Photos from 2020/a.jpg`, content: randomFileBytes(1000), isStored: true },
        { name: `${ROOT}/Rome/b.jpg`, content: randomFileBytes(500) },
        { name: 'Takeout/archive_browser.html', content: '<html>' },
      ],
      { isZip64: true },
    ),
  },
  {
    name: 'takeout-20250203T101010Z-002.zip',
    bytes: makeZip(
      [
        {
          name: `${ROOT}/Photos from 2020/a.jpg.supplemental-metadata.json`,
          content: { title: 'a.jpg', photoTakenTime: { timestamp: '1583020800' }, favorited: true },
        },
        { name: `${ROOT}/Rome/metadata.json`, content: { title: 'Roma' } },
      ],
      { isZip64: true },
    ),
  },
];
const listAssets = async ({ id }: TestUser) => [
  ...(await sql`select file_name, is_favorite, (select array_agg(name) from album_asset
      join album on album.id = album_id where asset_id = asset.id) as albums
    from asset where owner_id = ${id} order by file_name`),
];

test('parts are uploaded, unpacked together, checked, taken in and removed', async () => {
  const { status, body } = await announce(me, TAKEOUT);
  const sizes = TAKEOUT.map(({ name, bytes }) => ({ name, size: bytes.length }));
  expect([status, body]).toMatchObject([
    201,
    {
      status: 'waiting',
      url: null,
      path: null,
      archives: { phase: 'upload', parts: sizes.map((part) => ({ ...part, received: 0 })) },
    },
  ]);
  const { id } = body;
  expect((await start(me, id)).body.code).toBe('archives_incomplete');
  for (const [at, { bytes }] of TAKEOUT.entries()) {
    const sent = await send(me, `${id}/archives/${at}`, bytes);
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, `${bytes.length}`]);
  }
  expect((await start(me, id)).body).toMatchObject({ status: 'queued' });
  await run(id);
  expect(await read(me, id)).toMatchObject({
    status: 'waiting',
    program: 'takeout',
    archives: { phase: 'import', unpacked: 1 },
    found: { photos: 2, videos: 0, albums: 1, bytes: 1500 },
    fitsQuota: true,
    fitsDisk: true,
    failures: 0,
  });
  expect(await listAssets(me)).toEqual([]);
  expect(existsSync(getPartPath(paths, id, 0))).toBe(false);
  expect((await start(me, id)).body).toMatchObject({ status: 'queued' });
  await run(id);
  expect(await read(me, id)).toMatchObject({ status: 'completed', taken: 2, failures: 0 });
  expect(await listAssets(me)).toEqual([
    { file_name: 'a.jpg', is_favorite: true, albums: null },
    { file_name: 'b.jpg', is_favorite: false, albums: ['Roma'] },
  ]);
  expect(existsSync(getMoveFolder(paths, id))).toBe(false);
});
