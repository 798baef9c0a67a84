import { eq } from 'drizzle-orm';
import {
  albumAssets,
  albums,
  albumUsers,
  sharedLinkAssets,
  sharedLinks,
} from '../../src/db/tables/albums.ts';
import { assets } from '../../src/db/tables/assets.ts';
import { stacks } from '../../src/db/tables/stacks.ts';
import { partners, sessions } from '../../src/db/tables/identity.ts';
import type { App } from '../../src/app.ts';
import {
  type Caller,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from './harness.ts';

/** One asset of each kind, of one owner and all of one day. */
export const STATES = {
  plain: {},
  favorite: { isFavorite: true },
  video: { type: 'VIDEO', fileName: 'clip.mp4' },
  archived: { visibility: 'archive' },
  hidden: { visibility: 'hidden' },
  locked: { lockedAt: NOW },
  lockedArchive: { lockedAt: NOW, visibility: 'archive' },
  trashed: { trashedAt: NOW },
  lockedTrash: { lockedAt: NOW, trashedAt: NOW },
} as const;
export type State =
  keyof typeof STATES | 'stackChild' | 'live' | 'liveVideo' | 'ofPartner' | 'archivedOfPartner';

/**
 * A small household: the owner of one asset of each kind, a partner whose Timeline the owner mixes
 * in, a viewer with whom the owner shares the own Timeline, a member of an album with everything in
 * it, a link to that album and one to the assets, and a stranger.
 */
export type Household = {
  readonly ids: Record<State, string>;
  readonly albumId: string;
  readonly owner: TestUser;
  readonly partner: TestUser;
  readonly viewer: TestUser;
  readonly member: TestUser;
  readonly stranger: TestUser;
  /** States by id, sorted: what a listing shows, in words. */
  readonly getNames: (ids: readonly string[]) => string[];
};

/** A fresh database with its app, a household, and `me`: an account that has nothing to do with it. */
export async function openHousehold(): Promise<HouseholdDatabase> {
  const database = await testDatabase();
  const house = await seedHousehold(database);
  const me = await seed(database).user();
  return { database, app: testApp(database), house, me };
}
export type HouseholdDatabase = {
  readonly database: TestDatabase;
  readonly app: App;
  readonly house: Household;
  readonly me: TestUser;
};

export async function seedHousehold(database: TestDatabase): Promise<Household> {
  const { db } = database;
  const add = seed(database);
  const [owner, partner, viewer, member, stranger] = (await Promise.all(
    Array.from({ length: 5 }, () => add.user()),
  )) as [TestUser, TestUser, TestUser, TestUser, TestUser];
  const ids = {} as Record<State, string>;
  for (const [state, values] of Object.entries(STATES)) {
    ids[state as keyof typeof STATES] = await add.asset({
      ownerId: owner.id,
      exif: { city: 'Lisbon', country: 'Portugal', make: 'Canon', latitude: 38.7, longitude: -9.1 },
      ...values,
    });
  }
  // 'plain' stands for the stack.
  const stackId = await addStack(database, owner.id, ids.plain);
  ids.stackChild = await add.asset({ ownerId: owner.id, stackId, isStackChild: true });
  ids.liveVideo = await add.asset({ ownerId: owner.id, type: 'VIDEO', visibility: 'hidden' });
  ids.live = await add.asset({ ownerId: owner.id, liveVideoId: ids.liveVideo });
  const all = Object.values(ids).filter((id) => id !== ids.liveVideo);

  ids.ofPartner = await add.asset({ ownerId: partner.id, isFavorite: true });
  ids.archivedOfPartner = await add.asset({ ownerId: partner.id, visibility: 'archive' });
  await db.insert(partners).values([
    { sharerId: partner.id, viewerId: owner.id, inTimeline: true },
    { sharerId: owner.id, viewerId: viewer.id, inTimeline: false },
  ]);

  const [album] = await db.insert(albums).values({ ownerId: owner.id, name: 'all' }).returning();
  const albumId = album!.id;
  await db.insert(albumUsers).values({ albumId, userId: member.id, role: 'viewer' });
  await db.insert(albumAssets).values(all.map((assetId) => ({ albumId, assetId })));
  await addLink(database, { ownerId: owner.id, slug: 'album', albumId });
  await addLink(database, { ownerId: owner.id, slug: 'assets' }, all);
  await addLink(database, { ownerId: owner.id, slug: 'pictures', showMetadata: false }, all);
  await addLink(database, { ownerId: owner.id, slug: 'view-only', allowDownload: false }, all);
  await addLink(database, { ownerId: owner.id, slug: 'empty' });

  const names = new Map(Object.entries(ids).map(([state, id]) => [id, state]));
  const getNames = (found: readonly string[]) => found.map((id) => names.get(id) ?? id).sort();
  return { ids, albumId, owner, partner, viewer, member, stranger, getNames };
}

export async function addStack({ db }: TestDatabase, ownerId: string, primaryId: string) {
  const [stack] = await db.insert(stacks).values({ ownerId, primaryId }).returning();
  await db.update(assets).set({ stackId: stack!.id }).where(eq(assets.id, primaryId));
  return stack!.id;
}

export async function addLink(
  { db }: TestDatabase,
  values: Pick<typeof sharedLinks.$inferInsert, 'ownerId' | 'slug' | 'albumId'> & {
    allowDownload?: boolean;
    showMetadata?: boolean;
  },
  assetIds: readonly string[] = [],
): Promise<void> {
  const key = crypto.getRandomValues(new Uint8Array(50));
  const type = values.albumId ? 'ALBUM' : 'INDIVIDUAL';
  const [link] = await db
    .insert(sharedLinks)
    .values({ type, key, ...values })
    .returning();
  for (const assetId of assetIds) {
    await db.insert(sharedLinkAssets).values({ linkId: link!.id, assetId });
  }
}

/** Marks the user's session as unlocked by the PIN. */
export async function unlock({ db }: TestDatabase, user: TestUser): Promise<void> {
  await db
    .update(sessions)
    .set({ elevatedUntil: new Date(NOW.getTime() + 900_000) })
    .where(eq(sessions.userId, user.id));
}

/** Lists callers who may do nothing with items of the owner but look, each with the status of the refusal. */
export async function listRefusedCallers(
  database: TestDatabase,
  { stranger }: Household,
): Promise<[Caller, number][]> {
  const key = await seed(database).user(['asset.read']);
  return [
    [{ as: stranger }, 400],
    [{ as: key }, 403],
    [{ headers: { 'x-immich-share-slug': 'assets' } }, 403],
    [{}, 401],
  ];
}
