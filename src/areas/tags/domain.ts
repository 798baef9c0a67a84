import { listLockedTags } from '../../access/locked-labels.ts';
import { incrementRowVersions } from '../assets/row-versions/index.ts';
import { requireUser, lockOwned } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { isDatabaseError } from '../../db/errors.ts';
import type { TagRow } from '../../db/tables/tags.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { growTree } from './grow.domain.ts';
import { ancestorsOf, joinPath, nameOf, parentOf } from './paths.ts';
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
  toTag(await ownTag(ctx, id, 'tag.read'));

export async function createTag(ctx: Ctx, input: TagCreate): Promise<Tag> {
  return inTree(ctx, async (ctx, ownerId) => {
    const parent = input.parentId ? await ownTag(ctx, input.parentId, 'tag.read') : undefined;
    const value = joinPath(parent?.value, input.name.trim());
    requireLength(bytesOf(value), 'name');
    const [row] = await store.insertTags(ctx.db, ownerId, [
      { value, parentId: parent?.id ?? null, color: colorOf(input.color) },
    ]);
    if (!row) throw nameTaken();
    return toTag(row);
  });
}

/** Creates what is missing on the way to each path; answers with the last tag of each path. */
export async function upsertTags(ctx: Ctx, paths: readonly string[]): Promise<Tag[]> {
  const ways = paths.map(ancestorsOf).filter((way) => way.length > 0);
  for (const way of ways) requireLength(bytesOf(way.at(-1)!), 'tags');
  if (ways.length === 0) return [];
  return inTree(ctx, async ({ db }, ownerId) => (await growTree(db, ownerId, ways)).map(toTag));
}

export async function updateTag(ctx: Ctx, id: string, change: TagUpdate): Promise<Tag> {
  return inTree(ctx, async (ctx) => {
    const tag = await ownTag(ctx, id, 'tag.update');
    const parent = await newParent(ctx, tag, change);
    const name = change.name?.trim() ?? nameOf(tag.value);
    const value = joinPath(parent.value, name);
    const color = change.color === undefined ? tag.color : colorOf(change.color);
    const growth = bytesOf(value) - bytesOf(tag.value);
    requireLength(bytesOf(value), 'name');
    if (growth > 0) requireLength((await store.longestBelow(ctx.db, tag.id)) + growth, 'name');
    try {
      await store.updateTag(ctx.db, tag, { value, color, parentId: parent.id }, ctx.now());
    } catch (error) {
      throw isDatabaseError(error, 'uniqueViolation') ? nameTaken() : error;
    }
    return toTag(await ownTag(ctx, id, 'tag.update'));
  });
}

type Parent = { readonly id: string | null; readonly value: string | undefined };

/** Above everything there is nothing: null, and no path. */
async function newParent(ctx: Ctx, tag: TagRow, { parentId }: TagUpdate): Promise<Parent> {
  if (parentId === undefined) return { id: tag.parentId, value: parentOf(tag.value) };
  if (parentId === null) return { id: null, value: undefined };
  const parent = await ownTag(ctx, parentId, 'tag.update');
  if (parent.id === tag.id || parent.value.startsWith(`${tag.value}/`)) {
    throw invalidField('parentId', 'A tag cannot be below itself');
  }
  return parent;
}

/** And the tags below it; assets stay. */
export async function deleteTag(ctx: Ctx, id: string): Promise<void> {
  await inTree(ctx, async (ctx, ownerId) => {
    const tag = await ownTag(ctx, id, 'tag.delete');
    await store.deleteTag(ctx.db, ownerId, tag.id);
  });
}

/** Timeline items include those behind the top of a stack: the Timeline lists them by tag, too. */
export async function tagStatistics(ctx: Ctx): Promise<TagStatistics[]> {
  const session = requireUser(ctx.session);
  const locked = await listLockedTags(ctx.db, session);
  return (await store.sumByTag(ctx.db, session)).filter(({ tagId }) => !locked.has(tagId));
}

/** The same, written as JSON. */
export async function tagStatisticsJson(ctx: Ctx): Promise<string> {
  const session = requireUser(ctx.session);
  const locked = await listLockedTags(ctx.db, session);
  return session.contentRules.length === 0 && locked.size === 0
    ? store.statisticsJson(ctx.db, session.userId)
    : JSON.stringify(await tagStatistics(ctx));
}

/** Every tag onto every asset. Unknown and foreign ids are left out; answers how many pairs are new. */
export async function tagManyAssets(ctx: Ctx, input: TagBulkAssets): Promise<number> {
  const { userId } = requireUser(ctx.session);
  if (input.tagIds.length * input.assetIds.length > MAX_PAIRS) {
    throw invalidField('assetIds', `More than ${MAX_PAIRS} pairs in one request`);
  }
  return inTransaction(ctx, async (ctx) => {
    const tagIds = await store.ownTagIds(ctx.db, userId, input.tagIds);
    const assetIds = [...(await lockOwned(ctx.db, ctx.session, input.assetIds))];
    const added = [];
    for (const tagId of tagIds) added.push(...(await store.linkAssets(ctx.db, tagId, assetIds)));
    await incrementRowVersions(ctx.db, new Set(added));
    return added.length;
  });
}

/**
 * Answers for each id, in order. Also for a tag that is unknown because only Locked items have it:
 * whoever asked for a tag of its name was given its id, to use it.
 */
export async function tagAssets(ctx: Ctx, id: string, assetIds: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const { userId } = requireUser(ctx.session);
    const [tagId] = await store.ownTagIds(ctx.db, userId, [id]);
    if (!tagId) throw noAccess('tag.asset');
    const allowed = await lockOwned(ctx.db, ctx.session, assetIds);
    const added = await store.linkAssets(ctx.db, tagId, [...allowed]);
    await incrementRowVersions(ctx.db, added);
    return eachOnce(assetIds, 'duplicate', (assetId) => {
      if (!allowed.has(assetId)) return 'no_permission';
      return added.has(assetId) ? undefined : 'duplicate';
    });
  });
}

/** Answers for each id, in order. What the session may not see reads as not tagged, and stays so. */
export async function untagAssets(
  ctx: Ctx,
  id: string,
  assetIds: string[],
): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    const tag = await ownTag(ctx, id, 'tag.asset');
    const allowed = await lockOwned(ctx.db, ctx.session, assetIds);
    const removed = await store.unlinkAssets(ctx.db, tag.id, [...allowed]);
    await incrementRowVersions(ctx.db, removed);
    return eachOnce(assetIds, 'not_found', (assetId) =>
      removed.has(assetId) ? undefined : 'not_found',
    );
  });
}

/** The verdict of each id, in any spelling; `again` for one that was named before. */
function eachOnce(
  ids: readonly string[],
  again: NonNullable<BulkIdResult['error']>,
  verdict: (id: string) => BulkIdResult['error'],
): BulkIdResult[] {
  const seen = new Set<string>();
  return ids.map((id) => {
    const key = id.toLowerCase();
    const error = verdict(key) ?? (seen.has(key) ? again : undefined);
    seen.add(key);
    return error ? { id, success: false, error } : { id, success: true };
  });
}

const nameTaken = () => badRequest('A tag with that name already exists');

const bytesOf = (text: string): number => Buffer.byteLength(text);
function requireLength(bytes: number, field: string): void {
  if (bytes > MAX_PATH_BYTES) {
    throw invalidField(field, `A path of more than ${MAX_PATH_BYTES} bytes`);
  }
}

/** Clients may leave the # out. */
const colorOf = (color: string | null | undefined): string | null =>
  color ? (color.startsWith('#') ? color : `#${color}`) : null;

/** Changes of the tree come one after the other, so that no path is left behind by a rename. */
const inTree = <T>(ctx: Ctx, work: (ctx: Ctx, ownerId: string) => Promise<T>): Promise<T> => {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    await store.lockTree(ctx.db, userId);
    return work(ctx, userId);
  });
};

async function ownTag(ctx: Ctx, id: string, permission: string): Promise<TagRow> {
  const row = await store.findTag(ctx.db, requireUser(ctx.session).userId, id);
  if (!row || (await knownAmong(ctx, [row.id])).length === 0) throw noAccess(permission);
  return row;
}

/** Without those that are only on Locked items, while these are not shown. */
async function knownAmong({ db, session }: Ctx, ids: readonly string[]): Promise<string[]> {
  const locked = await listLockedTags(db, requireUser(session));
  return ids.filter((id) => !locked.has(id.toLowerCase()));
}
