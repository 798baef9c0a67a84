import { beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type NewAsset, seed, send } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { LARGE_BYTES } from '../../../core/large-files.ts';
import { sha256 } from '../../../core/hash.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { handleDeleteTranscodes } from './transcodes.handlers.ts';

const { database, app, house } = await useHousehold();
const admin = await seed(database).user(['all'], { isAdmin: true });
const { derived } = database.deps.paths;

beforeEach(async () => {
  await database.sql`truncate job cascade`;
  await database.sql`delete from asset_file where kind in ('encoded_video', 'bare_video')`;
  await database.sql`delete from deleted_transcode`;
});

async function add(over: Partial<NewAsset> = {}): Promise<string> {
  const text = crypto.randomUUID();
  const path = originalPath(database.deps.paths, sha256(text));
  mkdirSync(dirname(path), { recursive: true });
  await Bun.write(path, text);
  const file = { sha256: sha256(text), fileSize: text.length, fileName: 'a.mov' };
  return seed(database).asset({ ownerId: house.owner.id, type: 'VIDEO', ...file, ...over });
}

/** Adds a converted video, which nobody has played yet. Returns the path of its file. */
async function convert(id: string, { size = 9, kind = 'encoded_video' } = {}): Promise<string> {
  const name = `${id}-${kind}.mp4`;
  await Bun.write(join(derived, name), 'converted');
  utimesSync(join(derived, name), new Date(0), new Date(0));
  await database.sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${id}, ${kind}, ${name}, 'video/mp4', ${size}, 'x')`;
  return join(derived, name);
}

const read = async () => (await call(app, 'GET /admin/storage/transcodes', { as: admin })).body;
const listJobs = async (name: string) =>
  (await database.sql`select payload from job where name = ${name}`).map(({ payload }) => payload);

/** Asks for the deletion, and runs its job. */
async function remove(query = ''): Promise<void> {
  const { status } = await call(app, `DELETE /admin/storage/transcodes${query}`, { as: admin });
  expect(status).toBe(204);
  expect((await read()).isDeleting).toBe(true);
  const [payload] = await listJobs('assets.deleteTranscodes');
  await handleDeleteTranscodes(jobCtx(database), payload);
  await database.sql`delete from job where name = 'assets.deleteTranscodes'`;
}

const play = (id: string, headers = {}) =>
  send(app, `GET /assets/${id}/video/playback`, { as: house.owner, headers });

test('all are counted and deleted, but those of Locked; originals stay', async () => {
  const [one, other, locked] = [await add(), await add(), await add({ lockedAt: new Date() })];
  const files = [await convert(one), await convert(other, { kind: 'bare_video' })];
  const kept = await convert(locked);
  expect(await read()).toEqual({
    all: { files: 2, bytes: 18 },
    large: { files: 0, bytes: 0 },
    isDeleting: false,
  });
  await remove();
  expect(await read()).toMatchObject({ all: { files: 0, bytes: 0 }, isDeleting: false });
  expect(files.map((path) => existsSync(path))).toEqual([false, false]);
  expect(existsSync(kept)).toBe(true);
  const rows = await database.sql`
    select asset_id from asset_file where kind in ('encoded_video', 'bare_video')`;
  expect(rows.map((row) => row['asset_id'])).toEqual([locked]);
  const original = await send(app, `GET /assets/${one}/original`, { as: house.owner });
  expect([original.status, (await original.bytes()).length]).toEqual([200, 36]);
});

test('only large ones are deleted where those are asked for', async () => {
  const [small, large] = [await convert(await add()), await add()];
  const file = await convert(large, { size: LARGE_BYTES });
  expect((await read()).large).toEqual({ files: 1, bytes: LARGE_BYTES });
  await remove(`?minBytes=${LARGE_BYTES}`);
  expect([existsSync(small), existsSync(file)]).toEqual([true, false]);
  expect(await read()).toMatchObject({ all: { files: 1, bytes: 9 } });
});

test('one that is being played stays, and is played to its end', async () => {
  const id = await add();
  const file = await convert(id);
  const first = await play(id, { range: 'bytes=0-3' });
  expect([first.status, await first.text()]).toEqual([206, 'conv']);
  await remove();
  expect(existsSync(file)).toBe(true);
  const next = await play(id, { range: 'bytes=4-8' });
  expect([next.status, await next.text()]).toEqual([206, 'erted']);
  utimesSync(file, new Date(Date.now() - 60 * 60_000), new Date(0));
  await remove();
  expect(existsSync(file)).toBe(false);
});

test('a video is played as it is and converted again, once, when somebody plays it', async () => {
  const [id, other] = [await add(), await add()];
  await convert(id);
  await remove();
  expect(await listJobs('assets.transcodeVideo')).toEqual([]);
  for (let n = 0; n < 2; n++) {
    const response = await play(id);
    expect([response.status, (await response.text()).length]).toEqual([200, 36]);
  }
  // A video that needs no conversion had none.
  await (await play(other)).bytes();
  expect(await listJobs('assets.transcodeVideo')).toEqual([{ assetId: id }]);
  await database.sql`delete from job`;
  await (await play(id)).bytes();
  expect(await listJobs('assets.transcodeVideo')).toEqual([]);
});

test('is for administrators, and deletion for keys that may', async () => {
  const file = await convert(await add());
  const reader = await seed(database).user(['server.statistics'], { isAdmin: true });
  expect((await call(app, 'GET /admin/storage/transcodes', { as: reader })).status).toBe(200);
  const { status } = await call(app, 'DELETE /admin/storage/transcodes', { as: reader });
  expect(status).toBe(403);
  for (const of of ['GET /admin/storage/transcodes', 'DELETE /admin/storage/transcodes'] as const) {
    expect((await call(app, of, { as: house.owner })).status).toBe(403);
    expect((await call(app, of)).status).toBe(401);
  }
  const bad = await call(app, 'DELETE /admin/storage/transcodes?minBytes=-1', { as: admin });
  expect(bad.status).toBe(400);
  expect(await listJobs('assets.deleteTranscodes')).toEqual([]);
  expect(existsSync(file)).toBe(true);
});
