import { beforeAll, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { originalPath } from '../../../storage/stored-file.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  bob = await seed(database).user();
});

type Item = { id: string; checksum: string };
const check = (as: TestUser, assets: readonly Item[]) =>
  call(app, 'POST /assets/bulk-upload-check', { as, body: { assets } });

const digest = (text: string) => createHash('sha1').update(text).digest();
async function have(owner: TestUser, sha1: Buffer, more: object = {}): Promise<string> {
  const sha256 = randomBytes(32);
  const path = originalPath(database.deps.paths, sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'x');
  return seed(database).asset({ ownerId: owner.id, sha1, sha256, ...more });
}

test('returns the assets that the caller has, in the order of the request', async () => {
  const known = await have(alice, digest('known'));
  const trashed = await have(alice, digest('trashed'), { trashedAt: new Date() });
  const locked = await have(alice, digest('locked'), { lockedAt: new Date() });
  await have(bob, digest("bob's"));

  const { status, body } = await check(alice, [
    { id: 'z/new.jpg', checksum: digest('new').toString('hex') },
    { id: 'known hex', checksum: digest('known').toString('hex').toUpperCase() },
    { id: "bob's", checksum: digest("bob's").toString('hex') },
    { id: 'known base64', checksum: digest('known').toString('base64') },
    { id: 'trashed', checksum: digest('trashed').toString('base64') },
    { id: 'locked', checksum: digest('locked').toString('hex') },
  ]);

  const rejected = { action: 'reject', reason: 'duplicate' };
  expect(status).toBe(200);
  expect(body.results).toEqual([
    { id: 'z/new.jpg', action: 'accept' },
    { id: 'known hex', ...rejected, assetId: known, isTrashed: false },
    { id: "bob's", action: 'accept' },
    { id: 'known base64', ...rejected, assetId: known, isTrashed: false },
    { id: 'trashed', ...rejected, assetId: trashed, isTrashed: true },
    { id: 'locked', ...rejected, assetId: locked, isTrashed: false },
  ]);
});

test('accepts or rejects a file of an unsupported type by its checksum alone', async () => {
  const known = await have(alice, digest('program'));
  const { body } = await check(alice, [
    { id: 'a.exe', checksum: digest('program').toString('hex') },
    { id: 'b.exe', checksum: digest('another program').toString('hex') },
  ]);
  expect(body.results).toMatchObject([
    { id: 'a.exe', reason: 'duplicate', assetId: known },
    { id: 'b.exe', action: 'accept' },
  ]);
});

test('accepts a list of 5000 files and an empty one', async () => {
  const assets = Array.from({ length: 5000 }, (_, index) => ({
    id: String(index),
    checksum: randomBytes(20).toString('hex'),
  }));
  const known = await have(alice, Buffer.from(assets[4321]!.checksum, 'hex'));
  const { body } = await check(alice, assets);
  expect(body.results.map((result: Item) => result.id)).toEqual(assets.map(({ id }) => id));
  const rejected = body.results.filter((result: { action: string }) => result.action === 'reject');
  expect(rejected).toMatchObject([{ id: '4321', assetId: known }]);
  expect((await check(alice, [])).body).toEqual({ results: [] });
});

test('refuses invalid requests and callers without access', async () => {
  const reader = await seed(database).user(['asset.read']);
  const route = 'POST /assets/bulk-upload-check';
  expect((await call(app, route, { body: {} })).status).toBe(401);
  expect((await check(reader, [])).status).toBe(403);
  expect(await check(alice, [{ id: 'a', checksum: 'abc' }])).toMatchObject({
    status: 400,
    body: { message: 'Validation failed' },
  });
});
