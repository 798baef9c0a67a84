import { ownedAmong, visibleAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess, notFound } from '../../core/errors.ts';
import * as store from './metadata.store.ts';
import type { Metadata, MetadataUpsert } from './schemas.ts';

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
  if (items.length === 0) return [];
  const entries = new Map(items.map(({ key, value }) => [key, value]));
  return (await store.upsertEntries(ctx.db, id, entries, ctx.now())).map(toMetadata);
}

export async function deleteMetadata(ctx: Ctx, id: string, key: string): Promise<void> {
  await requireOwn(ctx, id);
  await store.deleteEntry(ctx.db, id, key);
}

async function requireRead(ctx: Ctx, id: string): Promise<void> {
  if ((await visibleAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.read');
}

async function requireOwn(ctx: Ctx, id: string): Promise<void> {
  if ((await ownedAmong(ctx.db, ctx.session, [id])).size === 0) throw noAccess('asset.update');
}

const toMetadata = (row: { key: string; value: unknown; updatedAt: Date }): Metadata => ({
  key: row.key,
  value: row.value as Metadata['value'],
  updatedAt: row.updatedAt.toISOString(),
});
