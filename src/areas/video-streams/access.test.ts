import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { addLink } from '../../../test/support/household.ts';
import { until } from '../../../test/support/until.ts';
import {
  addMinute,
  openStream,
  openStreamLibrary,
  type StreamLibrary,
  type StreamPlayer,
} from '../../../test/support/video-streams.ts';
import { albumAssets, albums, albumUsers, sharedLinks } from '../../db/tables/albums.ts';
import { assets } from '../../db/tables/assets.ts';
import { apiKeys, partners } from '../../db/tables/identity.ts';
import { countRunning, stopVideoStreams } from './sessions.ts';

// An encoder ends when nobody may watch it any more.

let library: StreamLibrary;
let me: TestUser;
let other: TestUser;
beforeAll(async () => {
  library = await openStreamLibrary();
});
afterAll(() => library.close());
beforeEach(async () => {
  me = await seed(library.database).user();
  other = await seed(library.database).user();
});
afterEach(() => stopVideoStreams(library.database.deps));

const count = () => countRunning(library.database.deps);

async function play(id: string, caller: Caller, query = ''): Promise<StreamPlayer> {
  const player = await openStream(library.app, id, caller, query);
  await player.choose(1);
  expect((await player.readSegment(0)).status).toBe(200);
  return player;
}

const change = (id: string, values: Partial<typeof assets.$inferInsert>) =>
  library.database.db.update(assets).set(values).where(eq(assets.id, id));

type End = readonly [who: Caller, query: string, end: () => Promise<unknown>];

async function shareByLink(slug: string, id: string): Promise<string> {
  await addLink(library.database, { ownerId: me.id, slug }, [id]);
  return `?slug=${slug}`;
}

async function shareAlbum(id: string, slug?: string): Promise<string> {
  const { db } = library.database;
  const [album] = await db.insert(albums).values({ ownerId: me.id, name: 'films' }).returning();
  const albumId = album!.id;
  await db.insert(albumAssets).values({ albumId, assetId: id });
  await db.insert(albumUsers).values({ albumId, userId: other.id, role: 'viewer' });
  if (slug) await addLink(library.database, { ownerId: me.id, slug, albumId });
  return albumId;
}

/** By what happens: who watches, and how the access ends. */
const ENDS: Readonly<Record<string, (id: string) => Promise<End>>> = {
  'it is locked': async (id) => [{ as: me }, '', () => change(id, { lockedAt: NOW })],
  'a guest watches and it goes into the trash': async (id) => [
    {},
    await shareByLink('trash', id),
    () => change(id, { trashedAt: NOW }),
  ],
  'the link is deleted': async (id) => [
    {},
    await shareByLink('deleted', id),
    () => library.database.db.delete(sharedLinks).where(eq(sharedLinks.slug, 'deleted')),
  ],
  'the link expires': async (id) => [
    {},
    await shareByLink('expired', id),
    () =>
      library.database.db
        .update(sharedLinks)
        .set({ expiresAt: new Date(NOW.getTime() - 1) })
        .where(eq(sharedLinks.slug, 'expired')),
  ],
  'it is removed from the album of a link': async (id) => {
    await shareAlbum(id, 'album');
    const end = () => library.database.db.delete(albumAssets).where(eq(albumAssets.assetId, id));
    return [{}, '?slug=album', end];
  },
  'the member leaves the album': async (id) => {
    const albumId = await shareAlbum(id);
    const end = () => library.database.db.delete(albumUsers).where(eq(albumUsers.albumId, albumId));
    return [{ as: other }, '', end];
  },
  'the partner archives it': async (id) => {
    await library.database.db.insert(partners).values({ sharerId: me.id, viewerId: other.id });
    return [{ as: other }, '', () => change(id, { visibility: 'archive' })];
  },
  'it is hidden from the partner': async (id) => {
    await library.database.db.insert(partners).values({ sharerId: me.id, viewerId: other.id });
    return [{ as: other }, '', () => change(id, { visibility: 'hidden' })];
  },
  'the key of the caller is deleted': async () => [
    { as: me },
    '',
    () => library.database.db.delete(apiKeys).where(eq(apiKeys.userId, me.id)),
  ],
};

describe.each(Object.keys(ENDS))('when %s', (name) => {
  test('the next segment is refused, and what makes them is ended', async () => {
    const id = await addMinute(library, me.id);
    const [caller, query, end] = await ENDS[name]!(id);
    const player = await play(id, caller, query);
    expect(count()).toBe(1);
    await end();
    const started = performance.now();
    expect([400, 401]).toContain((await player.readSegment(0)).status);
    expect([400, 401]).toContain((await player.readInit()).status);
    await until(() => count() === 0);
    expect(performance.now() - started).toBeLessThan(25_000);
  });
});

test('an encoder goes on for one who may see the video when another may not any more', async () => {
  const id = await addMinute(library, me.id);
  await play(id, {}, await shareByLink('shared', id));
  const mine = await play(id, { as: me });
  // The last one of these is further ahead than the encoder goes for the other one.
  for (let number = 1; number <= 16; number++)
    expect((await mine.readSegment(number)).status).toBe(200);
  expect(count()).toBe(1);
  await library.database.db.delete(sharedLinks).where(eq(sharedLinks.slug, 'shared'));
  await Bun.sleep(5000);
  expect(count()).toBe(1);
  await mine.end();
  await until(() => count() === 0);
});
