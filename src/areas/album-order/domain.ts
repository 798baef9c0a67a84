import { requireOpenAlbum } from '../../access/albums.ts';
import type { Ctx } from '../../core/context.ts';
import { conflict, invalidField } from '../../core/errors.ts';
import { decodeCursor, encodeCursor, type Position } from '../../db/keyset.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announceAlbum, requireRole, updateAlbum } from '../albums/index.ts';
import { findAssetsById } from '../assets/index.ts';
import type {
  AlbumItems,
  AlbumItemsPage,
  AlbumMove,
  AlbumOrder,
  AlbumOrderChange,
} from './schemas.ts';
import * as store from './store.ts';

const DEFAULT_SIZE = 120;

export async function getOrder(ctx: Ctx, id: string): Promise<AlbumOrder> {
  return toOrder(await store.getOrder(ctx.db, await requireOpenAlbum(ctx, id)));
}

const toOrder = ({ isByHand, sortOrder, revision }: store.OrderRow): AlbumOrder => ({
  order: isByHand ? 'custom' : sortOrder,
  revision,
});

/** Changes how an album is shown. Ordered by hand for the first time, it begins in the order by date. */
export const changeOrder = (
  ctx: Ctx,
  id: string,
  { order, revision }: AlbumOrderChange,
): Promise<AlbumOrder> =>
  changeLocked(ctx, id, revision, async (ctx, albumId, before) => {
    if (toOrder(before).order === order) return;
    const isByHand = order === 'custom';
    if (isByHand && before.revision === 0) {
      await store.spreadMembers(ctx.db, albumId, before.sortOrder);
    }
    if (isByHand || before.revision > 0) await store.saveOrder(ctx.db, albumId, isByHand);
    if (order !== 'custom') await updateAlbum(ctx, albumId, { order });
  });

/**
 * Returns a page of the items of an album in their order by hand: what its timeline shows the session. Throws 409 for an
 * album that is shown by date.
 */
export async function listItems(
  ctx: Ctx,
  id: string,
  { size = DEFAULT_SIZE, cursor }: AlbumItemsPage,
): Promise<AlbumItems> {
  const { db, session } = ctx;
  const albumId = await requireOpenAlbum(ctx, id);
  if (!(await store.getOrder(db, albumId)).isByHand) throw notByHand();
  const after = cursor === undefined ? undefined : toPosition(cursor);
  const places = await store.listItems(db, session, albumId, { after, limit: size + 1 });
  const page = places.slice(0, size);
  const last = page.at(-1);
  const assets = await findAssetsById(
    ctx,
    page.map(({ id }) => id),
  );
  return {
    items: page.flatMap(({ id }) => assets.get(id) ?? []),
    nextCursor: last && places.length > size ? encodeCursor(last) : null,
  };
}

/** Throws 400 unless the value is an integer of PostgreSQL's. */
function toPosition(cursor: string): Position {
  const position = decodeCursor(cursor);
  const isInteger = /^-?\d{1,19}$/.test(position.value);
  if (isInteger && BigInt.asIntN(64, BigInt(position.value)) === BigInt(position.value)) {
    return position;
  }
  throw invalidField('cursor', 'Not a cursor');
}

/** Moves items of an album before or after another one. Throws 400 for what the album does not show the caller. */
export const moveItems = (ctx: Ctx, id: string, move: AlbumMove): Promise<AlbumOrder> =>
  changeLocked(ctx, id, move.revision, async (ctx, albumId, before) => {
    const { db, session } = ctx;
    if (!before.isByHand) throw notByHand();
    const target = toTarget(move);
    const ids = toUnique(move.assetIds);
    if (ids.includes(target.id)) throw invalidField(target.side, 'Must not be one of the items');
    const shown = await store.filterShown(db, session, albumId, [...ids, target.id]);
    const missing = ids.findIndex((assetId) => !shown.has(assetId));
    if (missing !== -1) throw invalidField(`assetIds.${missing}`, 'Not in the album');
    if (!shown.has(target.id)) throw invalidField(target.side, 'Not in the album');
    if (!(await store.moveMembers(db, albumId, ids, target))) {
      await store.spreadMembers(db, albumId, 'place');
      await store.moveMembers(db, albumId, ids, target);
    }
    await store.saveOrder(db, albumId, true);
  });

function toTarget({ before, after }: AlbumMove): store.Target {
  if (before !== undefined && after === undefined) {
    return { side: 'before', id: before.toLowerCase() };
  }
  if (after !== undefined && before === undefined) {
    return { side: 'after', id: after.toLowerCase() };
  }
  throw invalidField('before', 'Either before or after must be given');
}

function toUnique(assetIds: readonly string[]): string[] {
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if (ids.length !== assetIds.length) throw invalidField('assetIds', 'Ids must be unique');
  return ids;
}

const notByHand = () => conflict('The album is not ordered by hand', { code: 'invalid_state' });

type Change = (ctx: Ctx, albumId: string, before: store.OrderRow) => Promise<void>;

/** Changes the order of an album as an editor. Throws 409 when its revision is not the given one. */
const changeLocked = (
  ctx: Ctx,
  id: string,
  revision: number | undefined,
  change: Change,
): Promise<AlbumOrder> =>
  inTransaction(ctx, async (ctx) => {
    const albumId = id.toLowerCase();
    await requireRole(ctx, albumId, 'editor', 'album.update');
    await store.lockOrder(ctx.db, albumId);
    const before = await store.getOrder(ctx.db, albumId);
    if (revision !== undefined && revision !== before.revision) {
      throw conflict('The order has changed', {
        code: 'stale_revision',
        currentRevision: before.revision,
      });
    }
    await change(ctx, albumId, before);
    await announceAlbum(ctx.db, albumId);
    return toOrder(await store.getOrder(ctx.db, albumId));
  });
