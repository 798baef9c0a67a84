import type { Db } from '../../db/client.ts';
import type { TagRow } from '../../db/tables/tags.ts';
import { ancestorsOf, parentOf } from './paths.ts';
import * as store from './store.ts';

/** Makes what is missing on each way; answers with the last tag of each. The tree is locked. */
export async function growTree(
  db: Db,
  ownerId: string,
  ways: readonly (readonly string[])[],
): Promise<TagRow[]> {
  const found = await store.tagsByValue(db, ownerId, [...new Set(ways.flat())]);
  const known = new Map(found.map((row) => [row.value, row]));
  const depth = Math.max(...ways.map((way) => way.length));
  // Level by level: a tag needs its parent.
  for (let level = 0; level < depth; level++) {
    const values = new Set(ways.flatMap((way) => way[level] ?? []));
    const missing = [...values].filter((value) => !known.has(value));
    if (missing.length === 0) continue;
    const wanted = missing.map((value) => {
      const parent = parentOf(value);
      return { value, parentId: parent === undefined ? null : known.get(parent)!.id };
    });
    for (const row of await store.insertTags(db, ownerId, wanted)) known.set(row.value, row);
  }
  return ways.map((way) => known.get(way.at(-1)!)!);
}

/**
 * The tags of the keywords of a file; none of them is removed before the transaction ends. Call it
 * before the asset is locked: tags before assets, as everywhere. Without `mayGrow` only those that
 * the owner has already.
 */
export async function tagsOfFile(
  db: Db,
  ownerId: string,
  { paths, mayGrow }: { readonly paths: readonly string[]; readonly mayGrow: boolean },
): Promise<string[]> {
  const ways = paths.map(ancestorsOf).filter((way) => way.length > 0);
  if (ways.length === 0) return [];
  const values = [...new Set(ways.map((way) => way.at(-1)!))];
  let rows = await store.tagsByValue(db, ownerId, values);
  if (mayGrow && rows.length < values.length) {
    await store.lockTree(db, ownerId);
    rows = await growTree(db, ownerId, ways);
  }
  const ids = [...new Set(rows.map((row) => row.id))];
  return store.ownTagIds(db, ownerId, ids);
}

export async function tagOne(db: Db, assetId: string, tagIds: readonly string[]): Promise<void> {
  for (const tagId of tagIds) await store.linkAssets(db, tagId, [assetId]);
}
