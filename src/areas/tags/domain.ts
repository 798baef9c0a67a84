import { listLockedTags } from '../../access/locked-labels.ts';
import { incrementRowVersions } from '../row-versions/index.ts';
import { requireUser, lockOwned } from '../../access/scope.ts';
import { toBulkResults } from '../../core/bulk-results.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { isDatabaseError } from '../../db/errors.ts';
import type { TagRow } from '../../db/tables/tags.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { recordEvents } from '../workflow-events/index.ts';
import { createMissingTags } from './create-paths.domain.ts';
import { getParentPath, joinPath, listPathPrefixes } from './paths.ts';
import {
  MAX_PAIRS,
  MAX_PATH_BYTES,
  type Tag,
  type TagBulkAssets,
  type TagCreate,
  type TagStatistics,
  type TagUpdate,
} from './schemas.ts';
import * as store from './store.ts';
import { toTag } from './view.ts';

export async function listTags(ctx: Ctx): Promise<Tag[]> {
  const session = requireUser(ctx.session);
  const locked = await listLockedTags(ctx.db, session);
  const rows = await store.listTags(ctx.db, session.userId);
  return rows.filter(({ id }) => !locked.has(id)).map(toTag);
}

export const getTag = async (ctx: Ctx, id: string): Promise<Tag> =>
  toTag(await getOwnTag(ctx, id, 'tag.read'));

export async function createTag(ctx: Ctx, input: TagCreate): Promise<Tag> {
  return withTreeLock(ctx, async (ctx, ownerId) => {
    const parent = input.parentId ? await getOwnTag(ctx, input.parentId, 'tag.read') : undefined;
    const value = joinPath(parent?.value, input.name.trim());
    requireLength(countBytes(value), 'name');
    const tag = { value, parentId: parent?.id ?? null, color: normalizeColor(input.color) };
    const [row] = await keepLimit(ctx, 'tag', { ownerId }, ({ db }) =>
      store.insertTags(db, ownerId, [tag]),
    );
    if (!row) throw createNameTakenError();
    return toTag(row);
  });
}

/** Creates the missing tags of each path; returns the last tag of each path. */
export async function upsertTags(ctx: Ctx, paths: readonly string[]): Promise<Tag[]> {
  const ways = paths.map((path) => listPathPrefixes(path)).filter((way) => way.length > 0);
  for (const value of ways.flat()) requireLength(countBytes(value), 'tags');
  if (ways.length === 0) return [];
  return withTreeLock(ctx, async ({ db }, ownerId) =>
    (await createMissingTags(db, ownerId, ways)).map(toTag),
  );
}

export async function updateTag(ctx: Ctx, id: string, change: TagUpdate): Promise<Tag> {
  return withTreeLock(ctx, async (ctx) => {
    const tag = await getOwnTag(ctx, id, 'tag.update');
    const parent = await findNewParent(ctx, tag, change);
    const name = change.name?.trim() ?? tag.name;
    const value = joinPath(parent.value, name);
    const color = change.color === undefined ? tag.color : normalizeColor(change.color);
    const growth = countBytes(value) - countBytes(tag.value);
    requireLength(countBytes(value), 'name');
    if (growth > 0)
      requireLength((await store.findLongestDescendant(ctx.db, tag.id)) + growth, 'name');
    try {
      await store.updateTag(ctx.db, tag, { value, color, parentId: parent.id }, ctx.now());
    } catch (error) {
      throw isDatabaseError(error, 'uniqueViolation') ? createNameTakenError() : error;
    }
    return toTag(await getOwnTag(ctx, id, 'tag.update'));
  });
}

type Parent = { readonly id: string | null; readonly value: string | undefined };

/** Returns the new parent; null and undefined for the top level. */
async function findNewParent(ctx: Ctx, tag: TagRow, { parentId }: TagUpdate): Promise<Parent> {
  if (parentId === undefined) return { id: tag.parentId, value: getParentPath(tag) };
  if (parentId === null) return { id: null, value: undefined };
  const parent = await getOwnTag(ctx, parentId, 'tag.update');
  if (parent.id === tag.id || parent.value.startsWith(`${tag.value}/`)) {
    throw invalidField('parentId', 'A tag cannot be below itself');
  }
  return parent;
}

/** Deletes the tag and its descendants; assets stay. */
export async function deleteTag(ctx: Ctx, id: string): Promise<void> {
  await withTreeLock(ctx, async (ctx, ownerId) => {
    const tag = await getOwnTag(ctx, id, 'tag.delete');
    await store.deleteTag(ctx.db, ownerId, tag.id);
  });
}

/** Returns the number of Timeline items by tag, stack members included: the Timeline lists them by tag. */
export async function getTagStatistics(ctx: Ctx): Promise<TagStatistics[]> {
  const session = requireUser(ctx.session);
  const locked = await listLockedTags(ctx.db, session);
  return (await store.sumByTag(ctx.db, session)).filter(({ tagId }) => !locked.has(tagId));
}

/** Adds every tag to every asset; skips unknown ids. Returns the number of new pairs. */
export async function tagManyAssets(ctx: Ctx, input: TagBulkAssets): Promise<number> {
  const { userId } = requireUser(ctx.session);
  if (input.tagIds.length * input.assetIds.length > MAX_PAIRS) {
    throw invalidField('assetIds', `More than ${MAX_PAIRS} pairs in one request`);
  }
  return inTransaction(ctx, async (ctx) => {
    const tagIds = await store.lockOwnTags(ctx.db, userId, input.tagIds);
    const assetIds = [...(await lockOwned(ctx.db, ctx.session, input.assetIds))];
    const added = [];
    for (const tagId of tagIds) added.push(...(await linkAssets(ctx, tagId, assetIds)));
    const tagged = new Set(added);
    await incrementRowVersions(ctx.db, tagged);
    await recordEvents(ctx.db, 'AssetTagged', [...tagged]);
    return added.length;
  });
}

const linkAssets = (ctx: Ctx, tagId: string, assetIds: readonly string[]) =>
  keepLimit(
    ctx,
    'taggedItem',
    { ownerId: requireUser(ctx.session).userId, rows: assetIds.length },
    ({ db }) => store.linkAssets(db, tagId, assetIds),
  );

/**
 * Returns a result for each id, in order. Accepts a tag that is hidden because only Locked items have it:
 * creating a tag of that name returns its id.
 */
export async function tagAssets(ctx: Ctx, id: string, assetIds: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const { userId } = requireUser(ctx.session);
    const [tagId] = await store.lockOwnTags(ctx.db, userId, [id]);
    if (!tagId) throw noAccess('tag.asset');
    const allowed = await lockOwned(ctx.db, ctx.session, assetIds);
    const added = await linkAssets(ctx, tagId, [...allowed]);
    await incrementRowVersions(ctx.db, added);
    await recordEvents(ctx.db, 'AssetTagged', [...added]);
    return toBulkResults(assetIds, 'duplicate', (assetId) => {
      if (!allowed.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

/** Returns a result for each id, in order. Items that the session may not see keep the tag and count as not tagged. */
export async function untagAssets(
  ctx: Ctx,
  id: string,
  assetIds: string[],
): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const tag = await getOwnTag(ctx, id, 'tag.asset');
    const allowed = await lockOwned(ctx.db, ctx.session, assetIds);
    const removed = await store.unlinkAssets(ctx.db, tag.id, [...allowed]);
    await incrementRowVersions(ctx.db, removed);
    return toBulkResults(assetIds, 'not_found', (assetId) =>
      removed.has(assetId) ? undefined : 'not_found',
    );
  });
}

const createNameTakenError = () => badRequest('A tag with that name already exists');

const countBytes = (text: string): number => Buffer.byteLength(text);
function requireLength(bytes: number, field: string): void {
  if (bytes > MAX_PATH_BYTES) {
    throw invalidField(field, `A path of more than ${MAX_PATH_BYTES} bytes`);
  }
}

/** Adds a missing #. */
const normalizeColor = (color: string | null | undefined): string | null =>
  color ? (color.startsWith('#') ? color : `#${color}`) : null;

/** Runs `work` in a transaction that locks the tree, so that no path misses a rename. */
const withTreeLock = <T>(ctx: Ctx, work: (ctx: Ctx, ownerId: string) => Promise<T>): Promise<T> => {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await store.lockTree(ctx.db, userId);
    return work(ctx, userId);
  });
};

async function getOwnTag(ctx: Ctx, id: string, permission: string): Promise<TagRow> {
  const row = await store.findTag(ctx.db, requireUser(ctx.session).userId, id);
  if (!row || (await filterVisibleTags(ctx, [row.id])).length === 0) throw noAccess(permission);
  return row;
}

/** Returns the tags that the session may see. */
async function filterVisibleTags({ db, session }: Ctx, ids: readonly string[]): Promise<string[]> {
  const locked = await listLockedTags(db, requireUser(session));
  return ids.filter((id) => !locked.has(id.toLowerCase()));
}
