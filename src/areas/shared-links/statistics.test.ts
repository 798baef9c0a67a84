import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { addFile } from '../../../test/support/processing.ts';

const { database, app } = await useApp();
let owner: TestUser;
let other: TestUser;
let assetId: string;

beforeEach(async () => {
  [owner, other] = [await seed(database).user(), await seed(database).user()];
  const file = { name: 'a.jpg', bytes: Buffer.from('the bytes of the original') };
  assetId = await addFile(database, file, { ownerId: owner.id });
});

async function addLink(values: object = {}) {
  const body = { type: 'INDIVIDUAL', assetIds: [assetId], ...values };
  return (await call(app, 'POST /shared-links', { as: owner, body })).body;
}
const open = (key: string) => call(app, `GET /shared-links/me?key=${key}`);
const list = async (as: TestUser) => (await call(app, 'GET /shared-links/statistics', { as })).body;

test('visits and downloads of guests are counted for the owner of the link only', async () => {
  const [link, unused] = [await addLink(), await addLink()];
  expect(await list(owner)).toEqual([]);
  await open(link.key);
  await open(link.key);
  await call(app, `GET /assets/${assetId}/original?key=${link.key}`);
  const body = { assetIds: [assetId] };
  await (await send(app, `POST /download/archive?key=${link.key}`, { body })).arrayBuffer();
  // Looking is no download, and what the owner does is not counted.
  await call(app, `GET /assets/${assetId}?key=${link.key}`);
  await call(app, `GET /assets/${assetId}/original`, { as: owner });
  await call(app, `GET /shared-links/${link.id}`, { as: owner });
  expect(await list(owner)).toEqual([
    { linkId: link.id, openedCount: 2, downloadedCount: 2, lastOpenedAt: NOW.toISOString() },
  ]);
  expect(unused.id).not.toBe(link.id);
  expect(await list(other)).toEqual([]);
  await call(app, `DELETE /shared-links/${link.id}`, { as: owner });
  expect(await list(owner)).toEqual([]);
});

test('what is refused is not counted', async () => {
  const locked = await addLink({ password: 'sesame' });
  const ended = await addLink({ expiresAt: '2020-01-01T00:00:00Z' });
  const looking = await addLink({ allowDownload: false });
  for (const { key } of [locked, ended]) expect((await open(key)).status).toBe(401);
  const refused = await call(app, `GET /assets/${assetId}/original?key=${looking.key}`);
  expect(refused.status).toBe(400);
  expect(await list(owner)).toEqual([]);
});

test('guests, strangers and keys without the permission learn no numbers', async () => {
  const { key } = await addLink();
  await open(key);
  const route = 'GET /shared-links/statistics' as const;
  expect((await call(app, `${route}?key=${key}`)).status).toBe(403);
  expect((await call(app, route)).status).toBe(401);
  const weak = await seed(database).user(['asset.read']);
  expect((await call(app, route, { as: weak })).status).toBe(403);
});
