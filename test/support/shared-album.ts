import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NewAsset, seed, type TestDatabase, type TestUser } from './harness.ts';

/** An album of `owner` with a picture that has a preview, shared with `guest`. Returns its id. */
export async function shareAlbum(
  database: TestDatabase,
  owner: TestUser,
  guest: TestUser,
  {
    preview = Buffer.from('picture'),
    ...asset
  }: Partial<NewAsset> & { readonly preview?: Buffer } = {},
): Promise<string> {
  const { sql } = database;
  const { derived } = database.deps.paths;
  const assetId = await seed(database).asset({ ownerId: owner.id, ...asset });
  const name = `${assetId}-preview.jpeg`;
  mkdirSync(derived, { recursive: true });
  writeFileSync(join(derived, name), preview);
  await sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${assetId}, 'preview', ${name}, 'image/jpeg', ${preview.length}, 't')`;
  const [album] = await sql`
    insert into album (owner_id, name) values (${owner.id}, 'Sea <3') returning id`;
  const albumId = album!['id'] as string;
  await sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${assetId})`;
  await sql`insert into album_user (album_id, user_id, role) values (${albumId}, ${guest.id}, 'viewer')`;
  return albumId;
}
