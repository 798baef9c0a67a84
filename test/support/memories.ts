import { expect } from 'bun:test';
import { Value } from 'typebox/value';
import type { App } from '../../src/app.ts';
import { type Memory, MemoryResponseDto } from '../../src/areas/memories/schemas.ts';
import { memories, memoryAssets } from '../../src/db/tables/memories.ts';
import type { OperationState } from '../../src/db/tables/operations.ts';
import { call, type Caller, NOW, type TestDatabase } from './harness.ts';

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

/** Lists memories, and checks that they have the members of their schema and are as many as are counted. */
export async function listMemories(app: App, caller: Caller, query = ''): Promise<Memory[]> {
  const all = `withAllTypes=true&${query}`;
  const { status, body } = await call(app, `GET /memories?${all}`, caller);
  expect(status).toBe(200);
  for (const memory of body) expect([...Value.Errors(MemoryResponseDto, memory)]).toEqual([]);
  expect(Value.Clean(MemoryResponseDto, structuredClone(body))).toEqual(body);
  const { body: counted } = await call(app, `GET /memories/statistics?${all}`, caller);
  if (!/page|size/.test(query)) expect(counted).toEqual({ total: body.length });
  return body;
}

/** Adds an archive of a memory that no job writes. Returns its id. */
export async function addMemoryExport(
  { sql }: Pick<TestDatabase, 'sql'>,
  memoryId: string,
  state: OperationState,
  total = 0,
): Promise<string> {
  const [row] = await sql`
    with made as (
      insert into operation (kind, account_id, state, payload, progress, total, created_at, started_at)
      select 'memory-archive', owner_id, ${state},
        jsonb_build_object('memoryId', id, 'language', 'en'),
        '{"processed": 0, "skipped": 0}', ${total}::int, now(), now()
      from memory where id = ${memoryId} returning id)
    insert into operation_file (id, memory_id, destination, planned_bytes)
    select id, ${memoryId}::uuid, 'download', 0 from made returning id`;
  return row!['id'] as string;
}
