import type { App } from '../../src/app.ts';
import { partners } from '../../src/db/tables/identity.ts';
import { call, seed, type TestDatabase, type TestUser } from './harness.ts';
import { type Household, seedHousehold } from './household.ts';

/** The owner's assets on a map by default: the stack's child and live photos have no position. */
export const ON_MAP = ['favorite', 'plain', 'video'];

/** A household whose partner's photos have a position too. */
export async function seedPlacedHousehold(database: TestDatabase): Promise<Household> {
  const house = await seedHousehold(database);
  await database.sql`update asset_exif set latitude = 1, longitude = 2 where asset_id in (
    ${house.ids.ofPartner}, ${house.ids.archivedOfPartner})`;
  return house;
}

/** Creates a user and a partner whose only photo is in the user's timeline and in a shared album. */
export async function seedPlacedPartner(
  app: App,
  database: TestDatabase,
): Promise<{ viewer: TestUser; id: string; hidePlaces: () => Promise<void> }> {
  const [viewer, sharer] = [await seed(database).user(), await seed(database).user()];
  const exif = { latitude: 1, longitude: 2 };
  const id = await seed(database).asset({ ownerId: sharer.id, exif });
  const albumUsers = [{ userId: viewer.id, role: 'viewer' }];
  const body = { albumName: 'A', assetIds: [id], albumUsers };
  await call(app, 'POST /albums', { as: sharer, body });
  const partnership = { sharerId: sharer.id, viewerId: viewer.id, inTimeline: true };
  await database.db.insert(partners).values(partnership);
  return {
    viewer,
    id,
    async hidePlaces() {
      await database.sql`update partner set hides_places = true where sharer_id = ${sharer.id}`;
    },
  };
}
