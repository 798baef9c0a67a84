import { defineKind, type MemoryOwner } from '../../../read-cache/memory.ts';
import type { Db } from '../../../db/client.ts';
import { areFilled } from './exif-owners.store.ts';

const memory = defineKind<true>('filled columns', () => 0);
const KEY = 'asset_exif';

/** Returns whether conditions on `asset_owner_id` and `asset_taken_at` find all rows: from then on they always do. */
export async function hasExifOwners(reader: MemoryOwner & { readonly db: Db }): Promise<boolean> {
  if (memory.find(reader, KEY)) return true;
  const filled = await areFilled(reader.db);
  if (filled) memory.keep(reader, KEY, true);
  return filled;
}
