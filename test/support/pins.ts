import { albums } from '../../src/db/tables/albums.ts';
import { tags } from '../../src/db/tables/tags.ts';
import type { App } from '../../src/app.ts';
import { call, type TestDatabase, type TestUser } from './harness.ts';

type Me = { readonly database: TestDatabase; readonly app: App; readonly me: TestUser };

/** The pins of `me`, or of another account, and what can be pinned. */
export const pinsFor = (get: () => Me) => ({
  list: async (user = get().me) =>
    (await call(get().app, 'GET /users/me/pins', { session: user })).body,
  save: (expectedRevision: number, pins: readonly object[], user = get().me) =>
    call(get().app, 'PUT /users/me/pins', { session: user, body: { expectedRevision, pins } }),
  newAlbum: async (name = 'a', ownerId = get().me.id): Promise<string> => {
    const [row] = await get().database.db.insert(albums).values({ name, ownerId }).returning();
    return row!.id;
  },
  newTag: async (value: string, ownerId = get().me.id, parentId?: string): Promise<string> => {
    const [row] = await get()
      .database.db.insert(tags)
      .values({ value, ownerId, parentId: parentId ?? null })
      .returning();
    return row!.id;
  },
});
