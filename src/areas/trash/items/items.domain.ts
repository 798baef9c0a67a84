import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import {
  type ItemRow,
  type Listing,
  countItems,
  listPage,
  getTrashVersion,
} from './items.store.ts';
import { createPageBook, createPages, type Pages } from './page-marks.ts';
import { type Item, type Items, type ItemsFilter } from '../schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const pageBooks = new WeakMap<Ctx['sql'], ReturnType<typeof createPageBook>>();

export async function listItems(ctx: Ctx, filter: ItemsFilter): Promise<Items> {
  const { contentRules, userId, unlocked: isUnlocked } = requireUser(ctx.session);
  const { page = 1, size = 200, sort = 'trashed-newest', type, query = '' } = filter;
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  const listing: Listing = { sort, type, words };
  // Read before the rows: marks made after a change are stored under the old version and not used.
  const { version, total } = await getTrashVersion(ctx.db, { userId, isUnlocked, type });
  // The version does not cover content rules, so their pages are not cached.
  const hasContentRules = contentRules.length > 0;
  const pages = hasContentRules
    ? createPages()
    : getPages(ctx.sql, JSON.stringify([userId, isUnlocked, listing]), version);
  const all =
    words.length === 0 && !hasContentRules
      ? total
      : (pages.total ??= await countItems(ctx, listing));
  const rows = await readPage(ctx, listing, pages, { offset: (page - 1) * size, size, all });
  const { trashDays } = ctx.settings;
  return {
    items: rows.slice(0, size).map((row) => toItem(row, trashDays)),
    total: all,
    page,
    size,
    hasNextPage: rows.length > size,
  };
}

function getPages(pool: Ctx['sql'], listing: string, version: string): Pages {
  let book = pageBooks.get(pool);
  if (!book) pageBooks.set(pool, (book = createPageBook()));
  return book(listing, version);
}

/**
 * Returns the rows of a page and one more. Also reads the row before an unknown page and stores its
 * mark, so that the next request finds the page by key.
 */
async function readPage(
  ctx: Ctx,
  listing: Listing,
  pages: Pages,
  { offset, size, all }: { offset: number; size: number; all: number },
): Promise<ItemRow[]> {
  if (offset >= all) return [];
  const mark = pages.findMark(offset);
  const isKnown = offset === 0 || mark?.offset === offset;
  const rows = await listPage(ctx, listing, {
    mark,
    offset: isKnown ? offset : offset - 1,
    limit: size + (isKnown ? 1 : 2),
  });
  const before = isKnown ? undefined : rows.shift();
  if (before) pages.addMark({ offset, key: before.key, id: before.id });
  const last = rows[size - 1];
  if (last) pages.addMark({ offset: offset + size, key: last.key, id: last.id });
  return rows;
}

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
