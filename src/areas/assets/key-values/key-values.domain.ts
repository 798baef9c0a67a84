import { asUser, lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField, noAccess, notFound } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { BulkMetadata, BulkMetadataDelete, BulkMetadataUpsert } from '../bulk/bulk.schemas.ts';
import * as store from './key-values.store.ts';
import type { Metadata, MetadataUpsert } from '../schemas.ts';

export async function listMetadata(ctx: Ctx, id: string): Promise<Metadata[]> {
  await requireRead(ctx, id);
  return (await store.listEntries(ctx.db, id)).map(toMetadata);
}

export async function getMetadata(ctx: Ctx, id: string, key: string): Promise<Metadata> {
  await requireRead(ctx, id);
  const row = await store.findEntry(ctx.db, id, key);
  if (!row) throw notFound('Metadata');
  return toMetadata(row);
}

/** The last of two items with the same key wins. */
export async function upsertMetadata(
  ctx: Ctx,
  id: string,
  { items }: MetadataUpsert,
): Promise<Metadata[]> {
  await requireOwn(ctx, id);
  requireStorable(items);
  if (items.length === 0) return [];
  const entries = new Map(items.map(({ key, value }) => [key, value]));
  return (await store.upsertEntries(ctx.db, id, entries, ctx.now())).map(toMetadata);
}

export async function deleteMetadata(ctx: Ctx, id: string, key: string): Promise<void> {
  await requireOwn(ctx, id);
  await store.deleteEntry(ctx.db, id, key);
}

/** All of them or none. The last of two items for the same asset and key wins. */
export async function upsertManyMetadata(
  ctx: Ctx,
  { items }: BulkMetadataUpsert,
): Promise<BulkMetadata[]> {
  requireStorable(items);
  const entries = new Map(items.map((item) => [pairOf(item), { ...item, ...idOf(item) }]));
  const rows = await inTransaction(ctx, async (ctx) => {
    await requireAllOwn(ctx, items);
    return store.upsertMany(ctx.db, [...entries.values()], ctx.now());
  });
  const saved = new Map(rows.map((row) => [pairOf(row), row]));
  return [...entries.keys()].flatMap((pair) => {
    const row = saved.get(pair);
    return row ? [{ assetId: row.assetId, ...toMetadata(row) }] : [];
  });
}

/** Pairs that are not there are no error; assets that are not the caller's are. */
export async function deleteManyMetadata(ctx: Ctx, { items }: BulkMetadataDelete): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await requireAllOwn(ctx, items);
    await store.deleteMany(ctx.db, items);
  });
}

type Named = { readonly assetId: string; readonly key: string };
const idOf = ({ assetId }: Named) => ({ assetId: assetId.toLowerCase() });
const pairOf = (item: Named) => `${idOf(item).assetId} ${item.key}`;

async function requireAllOwn({ db, session }: Ctx, items: readonly Named[]): Promise<void> {
  asUser(session);
  const ids = new Set(items.map((item) => idOf(item).assetId));
  const owned = await lockOwned(db, session, [...ids]);
  if (owned.size < ids.size) throw noAccess('asset.update');
}

/** PostgreSQL keeps no NUL in JSON either. */
function requireStorable(items: readonly { readonly value: unknown }[]): void {
  const wrong = items.findIndex(({ value }) => /(?<!\\)(\\\\)*\\u0000/.test(JSON.stringify(value)));
  if (wrong >= 0) throw invalidField(`items.${wrong}.value`, 'Holds a NUL character');
}

/** Only the owner's: programs keep there what nobody else is shown, such as coordinates. */
async function requireRead(ctx: Ctx, id: string): Promise<void> {
  if ((await ownedAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.read');
}

async function requireOwn(ctx: Ctx, id: string): Promise<void> {
  if ((await ownedAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.update');
}

const toMetadata = (row: { key: string; value: unknown; updatedAt: Date }): Metadata => ({
  key: row.key,
  value: row.value as Metadata['value'],
  updatedAt: row.updatedAt.toISOString(),
});
