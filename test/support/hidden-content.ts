import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import { sharedLinks } from '../../src/db/tables/albums.ts';
import { partners } from '../../src/db/tables/identity.ts';
import { call, NOW, seed, type TestDatabase, type TestUser } from './harness.ts';
import { addStack } from './household.ts';
import { addMemory } from './memories.ts';
import { addFace, addPerson, faceVector } from './people.ts';
import { saveRecognizedText } from './recognized-text.ts';

/**
 * Adds two of everything to an account: one that a content rule matches, and one that stays. It gets
 * the rules, with the filter off.
 */
export async function seedHiddenContent(
  database: TestDatabase,
  app: App,
  me: TestUser,
): Promise<{ hidden: readonly string[]; ids: Record<string, string> }> {
  const hidden: string[] = [];
  const ids: Record<string, string> = { me: me.id };
  const { db, sql } = database;
  const partner = await seed(database).user();
  await db.insert(partners).values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  const [album] = await sql`
    insert into album (owner_id, name) values (${me.id}, 'all') returning id`;
  const [top] = await sql`insert into tag (owner_id, value) values (${me.id}, 'ex') returning id`;
  const [tag] = await sql`
    insert into tag (owner_id, value, parent_id) values (${me.id}, 'ex/trips', ${top!['id']})
    returning id`;
  const person = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const [pet] = await sql`
    insert into pet (owner_id, name, species) values (${me.id}, '', 'cat') returning id`;
  const key = crypto.getRandomValues(new Uint8Array(50));
  const [link] = await db
    .insert(sharedLinks)
    .values({ ownerId: me.id, type: 'INDIVIDUAL', key, slug: 'some' })
    .returning();
  Object.assign(ids, { album: album!['id'], top: top!['id'], person: person.id, link: link!.id });

  for (const kind of ['hidden', 'plain']) {
    const isHidden = kind === 'hidden';
    const city = isHidden ? 'Porto' : 'Lisbon';
    const exif = { city, country: 'Portugal', latitude: isHidden ? 41 : 38, longitude: -9 };
    const add = async (over: object = {}) => {
      const id = await seed(database).asset({ ownerId: me.id, exif, createdAt: NOW, ...over });
      if (isHidden) {
        hidden.push(id);
        await sql`insert into tag_asset values (${tag!['id']}, ${id})`;
      }
      await sql`insert into album_asset (album_id, asset_id) values (${ids['album']!}, ${id})`;
      return id;
    };
    const photo = await add({ isFavorite: true });
    ids[kind] = photo;
    await addFace(database, {
      ownerId: me.id,
      personId: person.id,
      assetId: photo,
      vector: faceVector(0),
    });
    await sql`insert into pet_observation (id, pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
      values (gen_random_uuid(), ${pet!['id']}, ${photo}, 'cat', 0, 0, 1, 1, 1, 'm')`;
    await sql`insert into shared_link_asset (link_id, asset_id) values (${link!.id}, ${photo})`;
    await sql`insert into activity (id, album_id, asset_id, user_id, kind, comment)
      values (gen_random_uuid(), ${ids['album']!}, ${photo}, ${me.id}, 'comment', 'x')`;
    const twin = await add();
    const [first, second] = [photo, twin].toSorted();
    await sql`insert into duplicate_pair values (${me.id}, ${first!}, ${second!}, 1)`;
    const paper = await add();
    await saveRecognizedText(database, { assetId: paper, ownerId: me.id }, [
      'Stadtwerke',
      'Ihre neue Abrechnung',
      'Bitte aufbewahren',
    ]);
    const video = await add({ type: 'VIDEO', fileName: 'clip.mp4' });
    await sql`
      insert into video_moment (id, asset_id, kind, start_ms, end_ms, title, words)
      values (${Bun.randomUUIDv7()}, ${video}, 'manual', 0, 1, 'cake', to_tsvector('simple', 'cake'))`;
    await add({ visibility: 'archive' });
    await add({ lockedAt: NOW });
    await add({ trashedAt: NOW });
    const stackId = await addStack(database, me.id, await add());
    await add({ stackId, isStackChild: true });
  }
  const shown = { ownerId: me.id };
  ids['memory'] = await addMemory(database, shown, [ids['hidden']!, ids['plain']!]);
  await addMemory(database, shown, [ids['hidden']!]);
  const ofPartner = { ownerId: partner.id, exif: { city: 'Faro', country: 'Portugal' } };
  const takenAt = new Date('2024-02-29T12:00:00Z');
  hidden.push(await seed(database).asset({ ...ofPartner, takenAt }));
  ids['ofPartner'] = await seed(database).asset(ofPartner);
  const rule = (kind: string, target: object) => ({ id: crypto.randomUUID(), kind, ...target });
  const rules = [rule('tag', { targetId: ids['top'] }), rule('date', { date: '02-29' })];
  await setLockedContent(app, me, { rules });
  return { hidden, ids };
}

/** Changes the content rules or switches their filter, in the session of the user. */
export async function setLockedContent(
  app: App,
  user: TestUser,
  lockedContent: object,
): Promise<void> {
  const body = { lockedContent };
  expect((await call(app, 'PUT /users/me/preferences', { session: user, body })).status).toBe(200);
}
