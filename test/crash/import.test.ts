import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { sweepIncoming } from '../../src/storage/removal.ts';
import { effort } from '../support/effort.ts';
import { useDatabase } from '../support/database.ts';
import { randomFileBytes, toSha256 } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { openImportFolder, runImport } from '../support/imports.ts';
import { createStill, createVideo } from '../support/live-photos.ts';
import { bundle } from './bundle.ts';

setDefaultTimeout(600_000);

const database = await useDatabase();
const script = await bundle(join(import.meta.dir, 'import-child.ts'));
let me: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
beforeEach(async () => {
  me = await seed(database).user();
  folder = await openImportFolder();
});
afterEach(() => folder.remove());

function startImport(fault = '', after = 0) {
  const { databaseUrl, dataDir } = database.deps.settings;
  const args = [databaseUrl!, dataDir, me.id, folder.path, fault, String(after)];
  return Bun.spawn(
    // A failed test must not leave it running.
    ['setpriv', '--pdeathsig', 'KILL', '--', process.execPath, script, ...args],
    { stdout: 'pipe', stderr: 'inherit' },
  );
}

/** An album of Takeout with a live photo, an edited version and other photos; 8 files, 7 items. */
async function writeExport(): Promise<void> {
  const photos = ['a', 'b', 'c', 'd'].map((name) => [`x/${name}.jpg`, randomFileBytes()] as const);
  await folder.write({
    ...Object.fromEntries(photos),
    'x/metadata.json': { title: 'Rome' },
    'x/a.jpg.json': { photoTakenTime: { timestamp: '1' }, description: 'A', favorited: true },
    'x/a-edited.jpg': randomFileBytes(),
    'x/live.jpg': await createStill(),
    'x/live.MOV': await createVideo(folder.path),
    'y/last.jpg': randomFileBytes(),
  });
  for (const name of await readdir(folder.path)) {
    if (name.endsWith('.mov')) await Bun.file(join(folder.path, name)).delete();
  }
}

/** Expects what holds after any crash: whole files, no row without its file, no half of a live photo. */
async function expectConsistent(): Promise<void> {
  const { paths } = database.deps;
  const rows = await database.sql`select * from asset where owner_id = ${me.id}`;
  for (const { sha256 } of rows) {
    const bytes = await readFile(originalPath(paths, sha256));
    expect(Buffer.compare(toSha256(bytes), sha256)).toBe(0);
  }
  const isHalf = ({ file_name }: { file_name?: string }) => file_name?.startsWith('live.');
  expect([0, 2]).toContain(rows.filter(isHalf).length);
}

async function expectComplete(): Promise<void> {
  await expectConsistent();
  const rows = await database.sql`
    select file_name, is_favorite, description, stack_id is not null as stacked,
      live_video_id is not null as live, exists (
        select from album_asset join album on album.id = album_id
        where asset_id = asset.id and name = 'Rome') as in_album
    from asset left join asset_supplement on asset_id = id
    where owner_id = ${me.id} order by file_name collate "C"`;
  const plain = {
    is_favorite: false,
    description: null,
    stacked: false,
    live: false,
    in_album: true,
  };
  const titled = { ...plain, is_favorite: true, description: 'A', stacked: true };
  expect([...rows]).toEqual([
    { ...titled, file_name: 'a-edited.jpg' },
    { ...titled, file_name: 'a.jpg' },
    ...['b.jpg', 'c.jpg', 'd.jpg'].map((file_name) => ({ ...plain, file_name })),
    { ...plain, file_name: 'last.jpg', in_album: false },
    { ...plain, file_name: 'live.MOV', in_album: false },
    { ...plain, file_name: 'live.jpg', live: true },
  ]);
  const stacks = await database.sql`select 1 from stack where owner_id = ${me.id}`;
  const albums = await database.sql`select 1 from album where owner_id = ${me.id}`;
  expect([stacks.length, albums.length]).toEqual([1, 2]);
}

/** Numbers of passes of a fault point before the kill. */
const PASSES = [0, 3, 6];

for (const [index, point] of FAULT_POINTS.upload.entries()) {
  test(`killed at ${point}: nothing is half done, and the next run completes it`, async () => {
    await writeExport();
    const kills = effort({ quick: 1, full: PASSES.length });
    for (const kill of Array.from({ length: kills }).keys()) {
      const after = PASSES[(index + kill) % PASSES.length]!;
      const doomed = startImport(point, after);
      await doomed.exited;
      expect(doomed.signalCode).toBe((await wasReached(doomed)) ? 'SIGKILL' : null);
      await expectConsistent();
    }
    await runImport(database, me, folder.path, { namesAlbums: true });
    await expectComplete();
    expect(await sweepIncoming(database.deps.paths)).toBeGreaterThanOrEqual(0);
    expect(await readdir(database.deps.paths.incoming)).toEqual([]);
  });
}

/** The points of an upload are passed less often by a run that finds most of its files known. */
async function wasReached({ stdout }: ReturnType<typeof startImport>): Promise<boolean> {
  return !(await new Response(stdout).text()).includes('"taken"');
}

const KILLS = effort({ quick: 4, full: 12 });

test('killed again and again at any moment: nothing is lost, twice or half', async () => {
  await writeExport();
  let isComplete = false;
  for (let round = 0; !isComplete; round++) {
    const child = startImport();
    const reader = child.stdout.getReader();
    // After its first file, or the second, and so on; the last run is left alone.
    for (let seen = 0; seen <= round % 4; seen++) {
      const { done, value } = await reader.read();
      isComplete ||= done || new TextDecoder().decode(value).includes('"taken"');
    }
    if (round < KILLS) child.kill('SIGKILL');
    else isComplete ||= (await child.exited) === 0;
    await child.exited;
    await expectConsistent();
  }
  await runImport(database, me, folder.path, { namesAlbums: true });
  await expectComplete();
});
