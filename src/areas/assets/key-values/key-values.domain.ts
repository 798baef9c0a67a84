import { requireUser, lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField, noAccess, notFound } from '../../../core/errors.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type {
  BulkMetadata,
  BulkMetadataDelete,
  BulkMetadataUpsert,
} from '../update/bulk.schemas.ts';
import * as store from './key-values.store.ts';
import type { Metadata, MetadataUpsert } from '../schemas.ts';

export async function listMetadata(ctx: Ctx, id: string): Promise<Metadata[]> {
  await requireReadAccess(ctx, id);
  return (await store.listEntries(ctx.db, id)).map(toMetadata);
}

export async function getMetadata(ctx: Ctx, id: string, key: string): Promise<Metadata> {
  await requireReadAccess(ctx, id);
  const row = await store.findEntry(ctx.db, id, key);
  if (!row) throw notFound('Metadata');
  return toMetadata(row);
}

/** Returns the saved entries. Of two items with the same key, the last one wins. */
export async function upsertMetadata(
  ctx: Ctx,
  id: string,
  { items }: MetadataUpsert,
): Promise<Metadata[]> {
  await requireUpdateAccess(ctx, id);
  requireNoNul(items);
  if (items.length === 0) return [];
  const entries = new Map(items.map(({ key, value }) => [key, value]));
  const { userId } = requireUser(ctx.session);
  const scope = { ownerId: userId, itemIds: [id] };
  const rows = await keepLimit(ctx, 'itemMetadata', scope, ({ db }) =>
    store.upsertEntries(db, id, entries, ctx.now()),
  );
  return rows.map(toMetadata);
}

export async function deleteMetadata(ctx: Ctx, id: string, key: string): Promise<void> {
  await requireUpdateAccess(ctx, id);
  await store.deleteEntry(ctx.db, id, key);
}

/** Saves all items or none. Of two items with the same asset and key, the last one wins. */
export async function upsertManyMetadata(
  ctx: Ctx,
  { items }: BulkMetadataUpsert,
): Promise<BulkMetadata[]> {
  requireNoNul(items);
  const entries = new Map(items.map((item) => [toMapKey(item), { ...item, ...toAssetId(item) }]));
  const itemIds = [...new Set(items.map((item) => toAssetId(item).assetId))];
  const scope = { ownerId: requireUser(ctx.session).userId, itemIds };
  const rows = await keepLimit(ctx, 'itemMetadata', scope, async (ctx) => {
    await lockAllForUpdate(ctx, items);
    return store.upsertMany(ctx.db, [...entries.values()], ctx.now());
  });
  const saved = new Map(rows.map((row) => [toMapKey(row), row]));
  return [...entries.keys()].flatMap((pair) => {
    const row = saved.get(pair);
    return row ? [{ assetId: row.assetId, ...toMetadata(row) }] : [];
  });
}

/** Missing entries are ignored. Throws when one of the assets is not the caller's own. */
export async function deleteManyMetadata(ctx: Ctx, { items }: BulkMetadataDelete): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockAllForUpdate(ctx, items);
    await store.deleteMany(ctx.db, items);
  });
}

type EntryKey = { readonly assetId: string; readonly key: string };
const toAssetId = ({ assetId }: EntryKey) => ({ assetId: assetId.toLowerCase() });
const toMapKey = (item: EntryKey) => `${toAssetId(item).assetId} ${item.key}`;

async function lockAllForUpdate({ db, session }: Ctx, items: readonly EntryKey[]): Promise<void> {
  requireUser(session);
  const ids = new Set(items.map((item) => toAssetId(item).assetId));
  const owned = await lockOwned(db, session, [...ids]);
  if (owned.size < ids.size) throw noAccess('asset.update');
}

/** Throws when a value contains U+0000, which jsonb cannot store. */
function requireNoNul(items: readonly { readonly value: unknown }[]): void {
  const invalidIndex = items.findIndex(({ value }) =>
    /(?<!\\)(\\\\)*\\u0000/.test(JSON.stringify(value)),
  );
  if (invalidIndex >= 0)
    throw invalidField(`items.${invalidIndex}.value`, 'Must not contain U+0000');
}

/** Throws unless the caller owns the asset: entries may hold private data such as coordinates. */
async function requireReadAccess(ctx: Ctx, id: string): Promise<void> {
  if ((await ownedAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.read');
}

async function requireUpdateAccess(ctx: Ctx, id: string): Promise<void> {
  if ((await ownedAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.update');
}

const toMetadata = (row: { key: string; value: unknown; updatedAt: Date }): Metadata => ({
  key: row.key,
  value: row.value as Metadata['value'],
  updatedAt: row.updatedAt.toISOString(),
});
