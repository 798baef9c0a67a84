import { expect } from 'bun:test';
import { call, type Caller, type Reply } from './harness.ts';
import { addLink, type HouseholdDatabase, openHousehold } from './household.ts';

/** A household with a further link to the album, which shows no metadata. */
export async function openSearchHousehold(): Promise<HouseholdDatabase> {
  const home = await openHousehold();
  await addLink(home.database, {
    ownerId: home.house.owner.id,
    slug: 'album-pictures',
    albumId: home.house.albumId,
    showMetadata: false,
  });
  return home;
}

/** The search by metadata, as it answers and as the names of what it found. */
export const metadataSearch = (get: () => Pick<HouseholdDatabase, 'app' | 'house'>) => {
  const search = (body: object, caller: Caller, query = ''): Promise<Reply> =>
    call(get().app, `POST /search/metadata${query}`, { ...caller, body });
  return {
    search,
    found: async (body: object, caller: Caller, query = ''): Promise<string[]> => {
      const reply = await search(body, caller, query);
      expect(reply.status).toBe(200);
      const { items, count, total } = reply.body.assets;
      expect([count, total]).toEqual([items.length, items.length]);
      return get().house.getNames(items.map((item: { id: string }) => item.id));
    },
  };
};
