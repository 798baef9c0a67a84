import { memories, memoryAssets } from '../../src/db/tables/memories.ts';
import { NOW, type TestDatabase } from './harness.ts';

export type NewMemory = Partial<typeof memories.$inferInsert> & { readonly ownerId: string };

/** Adds a memory as the server generates it, with its assets in this order. */
export async function addMemory(
  { db }: Pick<TestDatabase, 'db'>,
  values: NewMemory,
  assetIds: readonly string[] = [],
): Promise<string> {
  const [row] = await db
    .insert(memories)
    .values({
      type: 'on_this_day',
      key: crypto.randomUUID(),
      data: values.type === undefined || values.type === 'on_this_day' ? { year: 2020 } : {},
      memoryAt: NOW,
      createdAt: NOW,
      ...values,
    })
    .returning({ id: memories.id });
  const members = assetIds.map((assetId, position) => ({ memoryId: row!.id, assetId, position }));
  if (members.length > 0) await db.insert(memoryAssets).values(members);
  return row!.id;
}
