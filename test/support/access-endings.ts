import { eq } from 'drizzle-orm';
import { albumAssets, albums, albumUsers, sharedLinks } from '../../src/db/tables/albums.ts';
import { assets } from '../../src/db/tables/assets.ts';
import { apiKeys, partners, sessions } from '../../src/db/tables/identity.ts';
import { type Caller, NOW, type TestDatabase, type TestUser } from './harness.ts';
import { addLink } from './household.ts';

// How somebody who watches a video loses the access to it.

type Watched = {
  readonly database: TestDatabase;
  readonly id: string;
  readonly owner: TestUser;
  readonly other: TestUser;
};
export type AccessEnding = {
  readonly caller: Caller;
  /** The key of a link, as '?slug=…'. */
  readonly query?: string;
  readonly end: () => Promise<unknown>;
};

const change = ({ database, id }: Watched, values: Partial<typeof assets.$inferInsert>) =>
  database.db.update(assets).set(values).where(eq(assets.id, id));

const toSlug = ({ id }: Watched): string => `watch-${id}`;
const bySlug = (watched: Watched) => eq(sharedLinks.slug, toSlug(watched));

/** Shares a video by a link. Returns the query of its guests. */
export async function shareByLink(watched: Watched): Promise<string> {
  const link = { ownerId: watched.owner.id, slug: toSlug(watched) };
  await addLink(watched.database, link, [watched.id]);
  return `?slug=${toSlug(watched)}`;
}

async function shareAlbum({ database, owner, other, id }: Watched): Promise<string> {
  const { db } = database;
  const [album] = await db.insert(albums).values({ ownerId: owner.id, name: 'films' }).returning();
  const albumId = album!.id;
  await db.insert(albumAssets).values({ albumId, assetId: id });
  await db.insert(albumUsers).values({ albumId, userId: other.id, role: 'viewer' });
  return albumId;
}

const shareWithPartner = ({ database, owner, other }: Watched) =>
  database.db.insert(partners).values({ sharerId: owner.id, viewerId: other.id });

/** By what happens. */
export const ACCESS_ENDINGS: Readonly<Record<string, (watched: Watched) => Promise<AccessEnding>>> =
  {
    'it is locked': async (watched) => ({
      caller: { as: watched.owner },
      end: () => change(watched, { lockedAt: NOW }),
    }),
    'a guest watches and it goes into the trash': async (watched) => ({
      caller: {},
      query: await shareByLink(watched),
      end: () => change(watched, { trashedAt: NOW }),
    }),
    'the link is deleted': async (watched) => ({
      caller: {},
      query: await shareByLink(watched),
      end: () => watched.database.db.delete(sharedLinks).where(bySlug(watched)),
    }),
    'the link expires': async (watched) => ({
      caller: {},
      query: await shareByLink(watched),
      end: () =>
        watched.database.db
          .update(sharedLinks)
          .set({ expiresAt: new Date(NOW.getTime() - 1) })
          .where(bySlug(watched)),
    }),
    'it is removed from the album of a link': async (watched) => {
      const { database, owner, id } = watched;
      const albumId = await shareAlbum(watched);
      await addLink(database, { ownerId: owner.id, slug: toSlug(watched), albumId });
      const end = () => database.db.delete(albumAssets).where(eq(albumAssets.assetId, id));
      return { caller: {}, query: `?slug=${toSlug(watched)}`, end };
    },
    'the member leaves the album': async (watched) => {
      const albumId = await shareAlbum(watched);
      const end = () =>
        watched.database.db.delete(albumUsers).where(eq(albumUsers.albumId, albumId));
      return { caller: { as: watched.other }, end };
    },
    'the partner archives it': async (watched) => {
      await shareWithPartner(watched);
      const end = () => change(watched, { visibility: 'archive' });
      return { caller: { as: watched.other }, end };
    },
    'it is hidden from the partner': async (watched) => {
      await shareWithPartner(watched);
      const end = () => change(watched, { visibility: 'hidden' });
      return { caller: { as: watched.other }, end };
    },
    'the key of the caller is deleted': async ({ database, owner }) => ({
      caller: { as: owner },
      end: () => database.db.delete(apiKeys).where(eq(apiKeys.userId, owner.id)),
    }),
    'the caller signs out': async ({ database, owner }) => ({
      caller: { session: owner },
      end: () => database.db.delete(sessions).where(eq(sessions.userId, owner.id)),
    }),
  };
