import { beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { useDatabase } from '../../../test/support/database.ts';
import {
  call,
  createCtx,
  NOW,
  seed,
  type TestUser,
  testApp,
} from '../../../test/support/harness.ts';
import { openBehindProxy } from '../../../test/support/callers.ts';
import type { SharedLinkSession } from '../../access/session.ts';
import type { App } from '../../app.ts';
import { createLog } from '../../core/log.ts';
import { unlockLink } from './guests.domain.ts';

const PASSWORD = 'correct horse';
const COOKIE = 'immich_shared_link_token';

const database = await useDatabase();
let app: App;
let owner: TestUser;
let assetId: string;
/** Everything that was logged, as one text. */
let logged = '';
beforeAll(async () => {
  const write = (line: string) => void (logged += line);
  const log = createLog({ level: 'debug', format: 'json', write });
  app = testApp(database, { log });
  owner = await seed(database).user();
  assetId = await seed(database).asset({ ownerId: owner.id });
});

type Link = { id: string; key: string };
async function protectedLink(password = PASSWORD, over: object = {}): Promise<Link> {
  const body = { type: 'INDIVIDUAL', assetIds: [assetId], password, allowUpload: true, ...over };
  const reply = await call(app, 'POST /shared-links', { as: owner, body });
  expect(reply.status).toBe(201);
  return reply.body;
}

const logIn = (link: Link, password: string, cookie = '') =>
  call(app, `POST /shared-links/login?key=${link.key}`, {
    headers: { cookie },
    body: { password },
  });

/** The cookie as a browser sends it back. */
async function unlocked(link: Link, cookie?: string): Promise<string> {
  const reply = await logIn(link, PASSWORD, cookie);
  expect(reply.status).toBe(201);
  return reply.headers.getSetCookie()[0]!.split(';')[0]!;
}
const getStatus = async (link: Link, cookie: string, path = '/shared-links/me') =>
  (await call(app, `GET ${path}?key=${link.key}` as 'GET /x', { headers: { cookie } })).status;

test('a link without metadata lists its pictures once the password was given', async () => {
  const link = await protectedLink(PASSWORD, { showMetadata: false });
  const reply = await logIn(link, PASSWORD);
  const assets = [{ id: assetId, hasMetadata: false }];
  expect(reply).toMatchObject({ status: 201, body: { showMetadata: false, assets } });
  const cookie = reply.headers.getSetCookie()[0]!.split(';')[0]!;
  const mine = await call(app, `GET /shared-links/me?key=${link.key}`, { headers: { cookie } });
  expect(mine).toMatchObject({ status: 200, body: { assets } });
  for (const { body } of [reply, mine]) expect(body.assets[0].fileCreatedAt).toBeUndefined();
});

test('every route refuses guests without the password, and admits this browser with it', async () => {
  const link = await protectedLink();
  const paths = [
    '/shared-links/me',
    `/assets/${assetId}`,
    '/timeline/buckets',
    `/assets/${assetId}/thumbnail`,
    `/assets/${assetId}/original`,
  ];
  for (const path of paths) {
    const reply = await call(app, `GET ${path}?key=${link.key}` as 'GET /x');
    expect(reply).toMatchObject({ status: 401, body: { message: 'Password required' } });
    expect(JSON.stringify(reply.body)).not.toContain(owner.email);
  }
  for (const path of ['/assets', '/search/metadata', '/download/archive'] as const) {
    const reply = await call(app, `POST ${path}?key=${link.key}`, { body: {} });
    expect(reply.status).toBe(401);
  }
  const cookie = await unlocked(link);
  for (const path of paths.slice(0, 3)) expect(await getStatus(link, cookie, path)).toBe(200);
});

test('the answer is the link, without the password and without the owner', async () => {
  const link = await protectedLink();
  const wrong = await logIn(link, 'wrong');
  expect(wrong).toMatchObject({ status: 401, body: { message: 'Invalid password' } });
  expect(wrong.headers.getSetCookie()).toEqual([]);

  const reply = await logIn(link, PASSWORD);
  expect(reply).toMatchObject({ status: 201, body: { id: link.id, password: null } });
  expect(reply.body.assets).toHaveLength(1);
  const text = JSON.stringify(reply.body) + reply.headers.getSetCookie().join();
  for (const secret of [owner.email, PASSWORD, 'argon2id']) expect(text).not.toContain(secret);
  const [cookie] = reply.headers.getSetCookie();
  expect(cookie).toStartWith(`${COOKIE}=`);
  for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=86400']) {
    expect(cookie!.split('; ')).toContain(flag);
  }
  expect(cookie).not.toContain('Secure');
});

test('over TLS the cookie is Secure', async () => {
  const link = await protectedLink();
  const proxy = await openBehindProxy(app);
  const { headers } = await call(
    proxy.from('203.0.113.9'),
    `POST /shared-links/login?key=${link.key}`,
    { headers: { 'x-forwarded-proto': 'https' }, body: { password: PASSWORD } },
  );
  await proxy.stop();
  expect(headers.getSetCookie()[0]).toEndWith('; Secure');
});

test('CVE-2026-22784: the same password on two links unlocks one at a time', async () => {
  const [first, second] = [await protectedLink(), await protectedLink()];
  const cookie = await unlocked(first);
  expect(await getStatus(first, cookie)).toBe(200);
  expect(await getStatus(second, cookie)).toBe(401);
  const both = await unlocked(second, cookie);
  expect(await getStatus(first, both)).toBe(200);
  expect(await getStatus(second, both)).toBe(200);
});

test('setting a password, even the same one, ends access by the old one', async () => {
  const link = await protectedLink();
  const cookie = await unlocked(link);
  const patch = (password: string | null) =>
    call(app, `PATCH /shared-links/${link.id}`, { as: owner, body: { password } });
  await patch(PASSWORD);
  expect(await getStatus(link, cookie)).toBe(401);
  expect(await getStatus(link, await unlocked(link))).toBe(200);
  await patch(null);
  expect(await getStatus(link, '')).toBe(200);
  expect((await logIn(link, PASSWORD)).status).toBe(400);
});

test('a forged cookie gives no access', async () => {
  const link = await protectedLink();
  const until = Math.floor(NOW.getTime() / 1000 + 1000).toString(36);
  for (const value of ['', 'x', `${until}.${randomBytes(32).toString('base64url')}`]) {
    expect(await getStatus(link, `${COOKIE}=${value}`)).toBe(401);
  }
});

test('only guests of the link can enter its password', async () => {
  const link = await protectedLink();
  const body = { password: PASSWORD };
  expect((await call(app, 'POST /shared-links/login', { body })).status).toBe(401);
  expect((await call(app, 'POST /shared-links/login?key=AAAA', { body })).status).toBe(401);
  const refusal = { status: 403, body: { message: 'Forbidden' } };
  expect(await call(app, 'POST /shared-links/login', { as: owner, body })).toMatchObject(refusal);
  expect(await call(app, 'GET /shared-links/me', { as: owner })).toMatchObject(refusal);
  // In the address it counts for nothing.
  const path = `GET /shared-links/me?key=${link.key}&password=${encodeURIComponent(PASSWORD)}`;
  expect((await call(app, path as 'GET /x')).status).toBe(401);
});

test('slows down guesses per address and link, and nobody else', async () => {
  const [link, other] = [await protectedLink(), await protectedLink()];
  let now = NOW;
  const attempt = (id: string, address: string, password: string) => {
    const session: SharedLinkSession = {
      kind: 'sharedLink',
      linkId: id,
      ownerId: owner.id,
      sharers: [],
      placelessSharers: [],
      partialSharers: [],
      albumId: undefined,
      allowUpload: false,
      allowDownload: false,
      showMetadata: true,
      hidesPlaces: false,
      needsPassword: true,
    };
    return unlockLink({ ...createCtx(database, session), now: () => now }, password, address);
  };
  for (let n = 0; n < 11; n++) {
    await expect(attempt(link.id, '192.0.2.1', `guess ${n}`)).rejects.toThrow('Invalid password');
  }
  // Also the right one: the answer tells nothing.
  await expect(attempt(link.id, '192.0.2.1', PASSWORD)).rejects.toThrow('Too many attempts');
  expect((await attempt(link.id, '192.0.2.2', PASSWORD)).link.id).toBe(link.id);
  expect((await attempt(other.id, '192.0.2.1', PASSWORD)).link.id).toBe(other.id);
  now = new Date(NOW.getTime() + 1000);
  expect((await attempt(link.id, '192.0.2.1', PASSWORD)).link.id).toBe(link.id);
});

test('CVE-2026-25118: no log has the password, right or wrong, or the key of a link', async () => {
  const link = await protectedLink('a secret of ours');
  await logIn(link, 'a wrong guess');
  await logIn(link, 'a secret of ours');
  expect(logged).toContain(link.id);
  for (const secret of ['secret of ours', 'wrong guess', link.key, 'argon2id']) {
    expect(logged).not.toContain(secret);
  }
});
