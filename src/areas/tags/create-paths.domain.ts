import { AppError } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import type { Db } from '../../db/client.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import type { TagRow } from '../../db/tables/tags.ts';
import { recordEvents } from '../workflow-events/index.ts';
import { listPathPrefixes } from './paths.ts';
import * as store from './store.ts';

/**
 * Creates the missing tags of each path; returns the last tag of each. The caller has locked the tree. Throws
 * 409 when the account has its most tags.
 */
export const createMissingTags = (
  db: Db,
  ownerId: string,
  ways: readonly (readonly string[])[],
): Promise<TagRow[]> =>
  keepLimit({ db }, 'tag', { ownerId }, ({ db }) => insertMissingTags(db, ownerId, ways));

async function insertMissingTags(
  db: Db,
  ownerId: string,
  ways: readonly (readonly string[])[],
): Promise<TagRow[]> {
  const found = await store.listTagsByValue(db, ownerId, [...new Set(ways.flat())]);
  const known = new Map<string | undefined, TagRow>(found.map((row) => [row.value, row]));
  const getTag = (value: string | undefined) => requireValue(known.get(value), 'tag of a path');
  // A path that is there is taken, whatever its levels are: nobody gets two tags for one keyword.
  const missing = ways.filter((way) => !known.has(way.at(-1)));
  const depth = Math.max(0, ...missing.map((way) => way.length));
  // Level by level, because a tag refers to its parent.
  for (let level = 0; level < depth; level++) {
    const parents = new Map(
      missing.flatMap((way) => {
        const value = way[level];
        return value === undefined || known.has(value) ? [] : [[value, way[level - 1]] as const];
      }),
    );
    if (parents.size === 0) continue;
    const wanted = [...parents].map(([value, parent]) => ({
      value,
      parentId: parent === undefined ? null : getTag(parent).id,
    }));
    for (const row of await store.insertTags(db, ownerId, wanted)) known.set(row.value, row);
  }
  return ways.map((way) => getTag(way.at(-1)));
}

/**
 * The tags of the keywords of a file, as paths with '|' between their levels; none of them is removed before the
 * transaction ends. Call it before the asset is locked: tags before assets, as everywhere. Without `mayGrow` only those
 * that the owner has already, and also when the account has its most tags.
 */
export async function upsertFileTags(
  db: Db,
  ownerId: string,
  { paths, mayGrow }: { readonly paths: readonly string[]; readonly mayGrow: boolean },
): Promise<string[]> {
  const ways = paths.map((path) => listPathPrefixes(path, '|')).filter((way) => way.length > 0);
  if (ways.length === 0) return [];
  const values = [...new Set(ways.flatMap((way) => way.at(-1) ?? []))];
  let rows = await store.listTagsByValue(db, ownerId, values);
  if (mayGrow && rows.length < values.length) {
    await store.lockTree(db, ownerId);
    rows = await createMissingTags(db, ownerId, ways).catch((error: unknown) => {
      if (error instanceof AppError) return rows;
      throw error;
    });
  }
  const ids = [...new Set(rows.map((row) => row.id))];
  return store.lockOwnTags(db, ownerId, ids);
}

type GarbledTags = {
  /** Ids of tags of the asset. */
  readonly ids: readonly string[];
  /** The right paths. */
  readonly paths: readonly string[];
};

/**
 * Returns the tags of an asset whose names were read in the wrong encoding: those that its owner has removed meanwhile are
 * not among them.
 */
export async function findGarbledTags(
  db: Db,
  assetId: string,
  garbled: readonly { readonly from: string; readonly to: string }[],
): Promise<GarbledTags> {
  if (garbled.length === 0) return { ids: [], paths: [] };
  const values = garbled.map(({ from }) => from);
  const found = await store.findTagsOfAsset(db, assetId, values);
  const paths = garbled.flatMap(({ from, to }) => (found.has(from) ? [to] : []));
  return { ids: [...found.values()], paths };
}

export async function removeTagsFromAsset(
  db: Db,
  assetId: string,
  tagIds: readonly string[],
): Promise<void> {
  for (const tagId of tagIds) await store.unlinkAssets(db, tagId, [assetId]);
}

export async function addTagsToAsset(
  db: Db,
  assetId: string,
  tagIds: readonly string[],
): Promise<void> {
  let isNew = false;
  for (const tagId of tagIds) {
    if ((await store.linkAssets(db, tagId, [assetId])).size > 0) isNew = true;
  }
  if (isNew) await recordEvents(db, 'AssetTagged', [assetId]);
}
