import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database.ts';
import { NOW, seed } from '../../test/support/harness.ts';
import { sharedLinks } from '../db/tables/albums.ts';
import { partners, sessions, users } from '../db/tables/identity.ts';
import { type Authenticate, createAuthenticate } from './authenticate.ts';

const database = await useDatabase();
let authenticate: Authenticate;
beforeAll(() => {
  authenticate = createAuthenticate(database);
});

type Init = { method?: string; headers?: Record<string, string> };
const ask = (path: string, init: Init = {}) =>
  authenticate(new Request(`http://localhost/api${path}`, init), NOW);

test('an API key gives its account, its permissions and who shares with it', async () => {
  const [me, friend, other] = [
    await seed(database).user(['tag.read']),
    await seed(database).user(),
    await seed(database).user(),
  ];
  await database.db.insert(partners).values([
    { sharerId: friend.id, viewerId: me.id, inTimeline: true },
    { sharerId: other.id, viewerId: me.id },
  ]);

  const session = await ask('/tags', { headers: { 'x-api-key': me.key } });
  expect(session).toMatchObject({
    kind: 'user',
    userId: me.id,
    isAdmin: false,
    unlocked: false,
    sessionId: undefined,
    timelineSharers: [friend.id],
    permissions: new Set(['tag.read']),
  });
  expect(session.kind === 'user' && session.sharers.toSorted()).toEqual(
    [friend.id, other.id].toSorted(),
  );
});

test('a removed account shares nothing until it is restored', async () => {
  const [me, friend] = [await seed(database).user(), await seed(database).user()];
  await database.db
    .insert(partners)
    .values({ sharerId: friend.id, viewerId: me.id, inTimeline: true, hidesPlaces: true });
  const session = () => ask('/tags', { headers: { 'x-api-key': me.key } });
  const shared = { sharers: [friend.id], timelineSharers: [friend.id] };
  expect(await session()).toMatchObject(shared);
  const setDeleted = (deletedAt: Date | null) =>
    database.db.update(users).set({ deletedAt }).where(eq(users.id, friend.id));
  await setDeleted(NOW);
  // Albums still show the friend's assets without places.
  expect(await session()).toMatchObject({
    sharers: [],
    timelineSharers: [],
    placelessSharers: [friend.id],
  });
  await setDeleted(null);
  expect(await session()).toMatchObject(shared);
});

test('a session knows its active rules, none while the filter is off', async () => {
  const me = await seed(database).user();
  const session = () => ask('/tags', { headers: { 'x-api-key': me.key } });
  const rules = [{ id: crypto.randomUUID(), kind: 'date', date: '12-24' }];
  const save = (lockedContent: object) =>
    database.db.update(users).set({ preferences: { lockedContent } }).where(eq(users.id, me.id));
  expect(await session()).toMatchObject({ contentRules: [] });
  await save({ rules });
  expect(await session()).toMatchObject({ contentRules: [] });
  await save({ filterEnabled: true, rules });
  expect(await session()).toMatchObject({ contentRules: rules });
  await save({ filterEnabled: true });
  expect(await session()).toMatchObject({ contentRules: [] });
});

test('a session token is taken from every place that clients use', async () => {
  const me = await seed(database).user();
  const places: [string, Init][] = [
    ['/tags', { headers: { authorization: `Bearer ${me.token}` } }],
    ['/tags', { headers: { 'x-immich-user-token': me.token } }],
    ['/tags', { headers: { 'x-immich-session-token': me.token } }],
    ['/tags', { headers: { cookie: `a=b; immich_access_token=${me.token}` } }],
    [`/tags?sessionKey=${me.token}`, {}],
  ];
  for (const [path, init] of places) {
    expect(await ask(path, init)).toMatchObject({ userId: me.id, permissions: new Set(['all']) });
  }
  expect(await ask(`/tags?apiKey=${me.key}`)).toMatchObject({ userId: me.id });
});

test('AU-016: key and session together must be of one account; the key limits what is allowed', async () => {
  const [me, other] = [await seed(database).user(['tag.read']), await seed(database).user()];
  await database.db
    .update(sessions)
    .set({ elevatedUntil: new Date(NOW.getTime() + 1000) })
    .where(eq(sessions.userId, me.id));
  const bearer = `Bearer ${me.token}`;

  expect(
    await ask('/tags', { headers: { authorization: bearer, 'x-api-key': me.key } }),
  ).toMatchObject({ userId: me.id, unlocked: true, permissions: new Set(['tag.read']) });
  await expect(
    ask('/tags', { headers: { authorization: bearer, 'x-api-key': other.key } }),
  ).rejects.toThrow('Invalid API key');
  await expect(
    ask('/tags', { headers: { authorization: 'Bearer no', 'x-api-key': me.key } }),
  ).rejects.toThrow('Invalid user token');
});

test('an expired session is refused', async () => {
  const me = await seed(database).user();
  await database.db.update(sessions).set({ expiresAt: NOW }).where(eq(sessions.userId, me.id));
  await expect(ask('/tags', { headers: { authorization: `Bearer ${me.token}` } })).rejects.toThrow(
    'Invalid user token',
  );
});

test('a cookie does not carry a change that another site asked for', async () => {
  const me = await seed(database).user();
  const post = (headers: Record<string, string>) =>
    ask('/tags', {
      method: 'POST',
      headers: { cookie: `immich_access_token=${me.token}`, host: 'nas:2283', ...headers },
    });

  await expect(post({ 'sec-fetch-site': 'cross-site' })).rejects.toThrow('Cross-site');
  await expect(post({ 'sec-fetch-site': 'same-site' })).rejects.toThrow('Cross-site');
  await expect(post({ origin: 'http://evil.example' })).rejects.toThrow('Cross-site');
  expect(await post({ origin: 'http://nas:2283' })).toMatchObject({ userId: me.id });
  expect(await post({ 'sec-fetch-site': 'same-origin' })).toMatchObject({ userId: me.id });
  // The phone app sets the cookie itself and says nothing about where it comes from.
  expect(await post({})).toMatchObject({ userId: me.id });
});

test('a shared link works by key or slug, until it expires, and says that it wants a password', async () => {
  const owner = await seed(database).user();
  const toKey = (name: string) => Buffer.from(name.padEnd(50, '.'));
  const add = (name: string, over: object = {}) =>
    database.db
      .insert(sharedLinks)
      .values({ ownerId: owner.id, type: 'INDIVIDUAL', key: toKey(name), slug: name, ...over });
  await add('open');
  await add('over', { expiresAt: NOW });
  await add('secret', { passwordHash: 'x' });
  const former = await seed(database).user(['all'], { deletedAt: NOW });
  await add('former', { ownerId: former.id });
  const key = (name: string) => toKey(name).toString('base64url');

  const link = { kind: 'sharedLink', ownerId: owner.id };
  expect(await ask(`/assets?key=${key('open')}`)).toMatchObject(link);
  expect(await ask(`/assets?key=${toKey('open').toString('hex')}`)).toMatchObject(link);
  expect(await ask('/assets?slug=open')).toMatchObject(link);
  await expect(ask(`/assets?key=${key('over')}`)).rejects.toThrow('Invalid share key');
  await expect(ask('/assets?slug=none')).rejects.toThrow('Invalid share key');
  await expect(ask('/assets?slug=former')).rejects.toThrow('Invalid share key');
  expect(await ask('/assets?slug=secret')).toMatchObject({ needsPassword: true });
  expect(await ask('/assets?slug=open')).not.toHaveProperty('needsPassword');
});

test('many requests of one moment each get their own account', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => seed(database).user()));
  const found = await Promise.all(
    people.map(({ key }) => ask('/tags', { headers: { 'x-api-key': key } })),
  );
  expect(found.map((session) => session.kind === 'user' && session.userId)).toEqual(
    people.map(({ id }) => id),
  );
});

test('AU-001: a request without a credential is refused', async () => {
  await expect(ask('/tags')).rejects.toThrow('Authentication required');
});

test('AU-002: an unknown key is refused', async () => {
  await expect(ask('/tags', { headers: { 'x-api-key': 'x' } })).rejects.toThrow('Invalid API key');
});

test('wrong keys from one address are slowed down, a right one never is', async () => {
  const me = await seed(database).user();
  const from = (key: string) =>
    authenticate(new Request('http://localhost/api/tags', { headers: { 'x-api-key': key } }), NOW, {
      address: '203.0.113.9',
    });
  await expect(from('wrong')).rejects.toThrow('Invalid API key');
  await database.sql`update attempt_lane set failures = 5000 where key = 'token:203.0.113.9'`;
  await expect(from('wrong')).rejects.toThrow('Invalid API key');
  await expect(from('wrong')).rejects.toThrow('Too many attempts');
  expect(await from(me.key)).toMatchObject({ userId: me.id });
});
