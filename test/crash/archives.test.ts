import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getMoveFolder } from '../../src/areas/move-ins/archives/files.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { useArchiveMoves } from '../support/archive-moves.ts';
import { useApp } from '../support/database.ts';
import { randomFileBytes } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { openImportFolder } from '../support/imports.ts';
import { makeZip } from '../support/zips.ts';

// A server is killed while it receives or unpacks the archives of a move: each photo is there once in the end.

setDefaultTimeout(300_000);

const used = await useApp();
const { database } = used;
const { announce, send, start, run, read } = useArchiveMoves(used);
/** As it is: the reader of archives is started from the sources, too. */
const script = join(import.meta.dir, 'archives-child.ts');
let me: TestUser;
let folder: Awaited<ReturnType<typeof openImportFolder>>;

beforeEach(async () => {
  me = await seed(database).user(['all']);
  folder = await openImportFolder();
});
afterEach(() => folder.remove());

async function kill(id: string, path: string, fault: string, after: number): Promise<void> {
  const { databaseUrl, dataDir } = database.deps.settings;
  const args = [databaseUrl!, dataDir, me.id, id, path, fault, String(after)];
  const child = Bun.spawn(
    // A failed test must not leave it running.
    ['setpriv', '--pdeathsig', 'KILL', '--', process.execPath, script, ...args],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  await child.exited;
  expect([fault, child.signalCode]).toEqual([fault, 'SIGKILL']);
}

const makePart = (name: string) => ({
  name: `${name}.zip`,
  bytes: makeZip([
    { name: `${name}/photo.jpg`, content: randomFileBytes(1000) },
    { name: `${name}/link.jpg`, content: 'photo.jpg', mode: 0o120777 },
  ]),
});

test.each(FAULT_POINTS.archives)('after a kill at %s the move goes on', async (fault) => {
  const zips = [makePart('one'), makePart('two')];
  const [first, second] = zips;
  const { id } = (await announce(me, zips)).body;
  const isReceiving = fault === 'archive.written';
  if (isReceiving) {
    await folder.write({ 'one.zip': first!.bytes });
    await kill(id, join(folder.path, 'one.zip'), fault, 0);
    // What was not counted comes again.
    expect((await read(me, id)).archives.parts[0].received).toBe(0);
  }
  await send(me, `${id}/archives/0`, first!.bytes);
  await send(me, `${id}/archives/1`, second!.bytes);
  await start(me, id);
  if (!isReceiving) {
    await kill(id, '', fault, 0);
    await kill(id, '', fault, fault === 'archive.saved' ? 0 : 1);
  }
  await run(id);
  expect(await read(me, id)).toMatchObject({
    status: 'waiting',
    archives: { phase: 'import', unpacked: 1 },
    found: { photos: 2 },
    failures: 2,
  });
  await start(me, id);
  await run(id);
  expect(await read(me, id)).toMatchObject({ status: 'completed', taken: 2, failures: 2 });
  const assets = await database.sql`select from asset where owner_id = ${me.id}`;
  expect(assets).toHaveLength(2);
  expect(existsSync(getMoveFolder(database.deps.paths, id))).toBe(false);
});
