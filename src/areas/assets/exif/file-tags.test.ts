import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seed, type TestDatabase, testDatabase } from '../../../../test/support/harness.ts';
import { writeTaggedPhoto } from '../../../../test/support/metadata.ts';
import { addFile, drainLane } from '../../../../test/support/processing.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { readMetadata } from '../jobs.ts';
import { handleReadMetadata } from './exif.handlers.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'safelight-file-tags-'));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

let made = 0;
/** A photo of the account with these keywords, written by the real tool. */
async function addPhoto(ownerId: string, words: readonly string[]): Promise<string> {
  return addFile(database, await writeTaggedPhoto(join(folder, `${++made}.jpg`), words), {
    ownerId,
  });
}

async function read(id: string): Promise<void> {
  await enqueue(database.db, readMetadata, { assetId: id });
  await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
}

const listAssetTags = async (id: string) =>
  (
    await database.sql`select value from tag join tag_asset on tag_id = tag.id
      where asset_id = ${id} order by value`
  ).map(({ value }) => value);
const listOwnerTags = async (ownerId: string) =>
  (await database.sql`select value from tag where owner_id = ${ownerId} order by value`).map(
    ({ value }) => value,
  );

test('keywords of a file become hierarchical tags of its owner', async () => {
  const owner = await seed(database).user();
  const other = await seed(database).user();
  const words = ['-HierarchicalSubject=Travel|Japan', '-Subject=Japan', '-IPTC:Keywords=Frost'];
  const first = await addPhoto(owner.id, words);
  const second = await addPhoto(owner.id, ['-IPTC:Keywords=Frost']);
  const none = await addPhoto(owner.id, []);
  for (const id of [first, second, none]) await read(id);
  expect(await listAssetTags(first)).toEqual(['Frost', 'Travel/Japan']);
  expect(await listAssetTags(second)).toEqual(['Frost']);
  expect(await listAssetTags(none)).toEqual([]);
  expect(await listOwnerTags(owner.id)).toEqual(['Frost', 'Travel', 'Travel/Japan']);
  expect(await listOwnerTags(other.id)).toEqual([]);
});

test('a removed tag does not return when the metadata is read again', async () => {
  const owner = await seed(database).user();
  const id = await addPhoto(owner.id, ['-IPTC:Keywords=Frost', '-IPTC:Keywords=Yard']);
  await read(id);
  await database.sql`delete from tag_asset using tag
    where tag.id = tag_id and asset_id = ${id} and value = 'Frost'`;
  await read(id);
  expect(await listAssetTags(id)).toEqual(['Yard']);
});

test('a locked asset receives existing tags and creates no new ones', async () => {
  const owner = await seed(database).user();
  await read(await addPhoto(owner.id, ['-IPTC:Keywords=Yard']));
  const id = await addPhoto(owner.id, ['-IPTC:Keywords=Secret', '-IPTC:Keywords=Yard']);
  await database.sql`update asset set locked_at = now() where id = ${id}`;
  await read(id);
  expect(await listAssetTags(id)).toEqual(['Yard']);
  expect(await listOwnerTags(owner.id)).toEqual(['Yard']);
});
