import { readTrashDays } from '../../system-config/index.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { createKnownPages, findKnownPages, type KnownPages } from '../../../read-cache/pages.ts';
import type { Position } from '../../../db/keyset.ts';
import {
  type ItemRow,
  type Listing,
  countItems,
  listPage,
  getTrashVersion,
} from './items.store.ts';
import { type Item, type Items, type ItemsFilter } from '../schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The position of a page is the last row before it. */
type Pages = KnownPages<Position>;

export async function listItems(ctx: Ctx, filter: ItemsFilter): Promise<Items> {
  const { contentRules, userId, unlocked: isUnlocked } = requireUser(ctx.session);
  const { page = 1, size = 200, sort = 'trashed-newest', type, query = '' } = filter;
  const words = [...new Set(query.split(/\s+/).filter(Boolean))];
  const listing: Listing = { sort, type, words };
  // Read before the rows: positions read after a change are stored under the old version and not used.
  const { version, total } = await getTrashVersion(ctx.db, { userId, isUnlocked, type });
  // The version does not cover content rules, so their pages are not cached.
  const hasContentRules = contentRules.length > 0;
  const pages = hasContentRules
    ? createKnownPages<Position>()
    : findKnownPages<Position>(
        ctx,
        JSON.stringify(['trash', userId, isUnlocked, listing]),
        version,
      );
  const all =
    words.length === 0 && !hasContentRules
      ? total
      : (pages.total ??= await countItems(ctx, listing));
  const rows = await readPage(ctx, listing, pages, { offset: (page - 1) * size, size, all });
  const trashDays = await readTrashDays(ctx);
  return {
    items: rows.slice(0, size).map((row) => toItem(row, trashDays)),
    total: all,
    page,
    size,
    hasNextPage: rows.length > size,
  };
}

/**
 * Returns the rows of a page and one more. Also reads the row before an unknown page and remembers
 * its position, so that the next request finds the page by key.
 */
async function readPage(
  ctx: Ctx,
  listing: Listing,
  pages: Pages,
  { offset, size, all }: { offset: number; size: number; all: number },
): Promise<ItemRow[]> {
  if (offset >= all) return [];
  const known = pages.findNearest(offset);
  const isKnown = offset === 0 || known?.offset === offset;
  const rows = await listPage(ctx, listing, {
    known,
    offset: isKnown ? offset : offset - 1,
    limit: size + (isKnown ? 1 : 2),
  });
  const before = isKnown ? undefined : rows.shift();
  if (before) pages.remember({ offset, position: toPosition(before) });
  const last = rows[size - 1];
  if (last) pages.remember({ offset: offset + size, position: toPosition(last) });
  return rows;
}

const toPosition = (row: ItemRow): Position => ({ value: row.key, id: row.id });

const toItem = (row: ItemRow, trashDays: number): Item => {
  const trashedAt = new Date(row.trashedAt);
  return {
    id: row.id,
    type: row.type,
    originalFileName: row.fileName,
    fileCreatedAt: new Date(row.takenAt).toISOString(),
    trashedAt: trashedAt.toISOString(),
    deletesAt:
      trashDays === 0 ? null : new Date(trashedAt.getTime() + trashDays * DAY_MS).toISOString(),
    fileSizeInBytes: Number(row.fileSize),
    thumbhash: row.thumbhash,
    duration: row.durationMs,
    isLocked: row.isLocked,
    livePhotoVideoId: row.liveVideoId,
  };
};
