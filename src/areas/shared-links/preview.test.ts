import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { createAuthenticate } from '../../access/authenticate.ts';
import { createSharePageHandler } from '../../http/share-page.ts';
import { loadWeb } from '../../http/web.ts';
import { getLinkPreview } from './preview.domain.ts';

const { database, app } = await useApp();
let owner: TestUser;
let answer: ReturnType<typeof createSharePageHandler>;
beforeAll(async () => {
  owner = await seed(database).user();
  const authenticate = createAuthenticate(database.deps);
  answer = createSharePageHandler(database.deps, await loadWeb(), (name, address) =>
    getLinkPreview(database.deps, authenticate, name, address),
  );
});

const get = async (path: string, init: RequestInit = {}, origin = 'http://nas:2283') => {
  const response = await answer(new Request(`${origin}${path}`, init));
  return { status: response?.status, html: (await response?.text()) ?? '', response };
};
const link = async (body: object) => {
  const made = await call(app, 'POST /shared-links', { as: owner, body });
  expect(made.status).toBe(201);
  return made.body;
};
const asset = (over: object = {}) => seed(database).asset({ ownerId: owner.id, ...over });
const album = async (albumName: string, assetIds: string[]) =>
  (await call(app, 'POST /albums', { as: owner, body: { albumName, assetIds } })).body.id;
const tag = (html: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)" />`).exec(html)?.[1];

test('a link to photos is described by their number and the first of them, for any Accept', async () => {
  const ids = [await asset(), await asset(), await asset()];
  const { key } = await link({ type: 'INDIVIDUAL', assetIds: ids, slug: 'spring' });
  await database.sql`update asset set locked_at = now() where id = ${ids[2]!}`;
  const first = (await call(app, `GET /shared-links/me?key=${key}`)).body.assets[0].id;
  for (const accept of ['*/*', 'image/png', 'text/html', '']) {
    const { status, html, response } = await get(`/share/${key}`, { headers: { accept } });
    expect([status, response!.headers.get('content-type')]).toEqual([
      200,
      'text/html;charset=utf-8',
    ]);
    expect(tag(html, 'description')).toBe('2 shared photos &amp; videos');
    expect(tag(html, 'og:title')).toBe('Public Share');
    const image = `http://nas:2283/api/assets/${first}/thumbnail?key=${key}`;
    expect(tag(html, 'og:image')).toBe(image);
    expect(html).toContain('<div id="root">');
    expect(html).not.toContain(ids[2]!);
  }
  const bySlug = await get('/s/spring/photos/1?x=2', {}, 'https://photos.example.com');
  expect(tag(bySlug.html, 'og:image')).toBe(
    `https://photos.example.com/api/assets/${first}/thumbnail?slug=spring`,
  );
  // The page at the short address does not reveal the key.
  expect(bySlug.html).not.toContain(key);
  const head = await get(`/share/${key}`, { method: 'HEAD' });
  expect([head.status, head.html]).toEqual([200, '']);
});

test('an album is described by its name and what the owner wrote, as text and nothing else', async () => {
  const evil = `"><script>alert(1)</script>'& $& $1`;
  const albumId = await album(evil, [await asset()]);
  const { key } = await link({ type: 'ALBUM', albumId, description: evil });
  const { html } = await get(`/share/${key}`);
  const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x27;&amp; $&amp; $1';
  for (const name of ['description', 'og:title', 'og:description', 'twitter:title']) {
    expect(tag(html, name)).toBe(escaped);
  }
  expect(html).not.toContain('<script>alert');

  const empty = await link({ type: 'ALBUM', albumId: await album('Nothing yet', []) });
  const bare = await get(`/share/${empty.key}`);
  expect(tag(bare.html, 'description')).toBe('0 shared photos &amp; videos');
  expect(tag(bare.html, 'og:image')).toBeUndefined();
});

test('the preview of a link with a password reveals nothing, also after it was entered', async () => {
  const albumId = await album('Secret name', [await asset()]);
  const { key } = await link({
    type: 'ALBUM',
    albumId,
    password: 'open sesame',
    description: 'mine',
  });
  const body = { password: 'open sesame' };
  const entered = await call(app, `POST /shared-links/login?key=${key}`, { body });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  for (const headers of [{}, { cookie }] as Record<string, string>[]) {
    const { status, html } = await get(`/share/${key}`, { headers });
    expect(status).toBe(200);
    expect(html).toContain('<div id="root">');
    expect(html).not.toMatch(/og:|Secret name|mine|api\/assets/);
  }
});

test('the page of an unknown, expired or deleted link, or of a deleted account, reveals nothing', async () => {
  const expiresAt = new Date(NOW.getTime() + 1000).toISOString();
  const id = await asset();
  const expired = await link({ type: 'INDIVIDUAL', assetIds: [id], expiresAt, slug: 'old' });
  const deleted = await link({ type: 'INDIVIDUAL', assetIds: [id] });
  await database.sql`update shared_link set expires_at = ${NOW.toISOString()} where id = ${expired.id}`;
  await call(app, `DELETE /shared-links/${deleted.id}`, { as: owner });
  const paths = ['invalid-key', '%E0%A4%A', '%00', 'x'.repeat(5000), expired.key, deleted.key];
  for (const path of [...paths.map((name) => `/share/${name}`), '/s/old', '/s/nowhere', '/s/%00']) {
    const { status, html, response } = await get(path);
    expect([path, status]).toEqual([path, 404]);
    expect(response!.headers.get('content-type')).toContain('text/html');
    expect(html).toContain('<div id="root">');
    expect(html).not.toMatch(/og:|api\/assets/);
  }
  const gone = await seed(database).user();
  const of = await seed(database).asset({ ownerId: gone.id });
  const made = await call(app, 'POST /shared-links', {
    as: gone,
    body: { type: 'INDIVIDUAL', assetIds: [of] },
  });
  await database.sql`update app_user set deleted_at = now() where id = ${gone.id}`;
  expect((await get(`/share/${made.body.key}`)).status).toBe(404);
});

test('only the pages of links are answered', async () => {
  for (const path of ['/share', '/share/', '/s', '/s/', '/shared/x', '/api/share/x', '/photos']) {
    expect((await get(path)).response).toBeUndefined();
  }
  expect((await get('/share/x', { method: 'POST' })).response).toBeUndefined();
});
