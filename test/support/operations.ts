import type { AnyKind } from '../../src/operations/define.ts';
import { createCleaner } from '../../src/operations/clean.handlers.ts';
import { operationKinds } from '../../src/job-registry.ts';
import type { OperationState } from '../../src/db/tables/operations.ts';
import { NOW, type TestDatabase } from './harness.ts';
import { jobCtx } from './processing.ts';

type Seed = {
  readonly accountId: string;
  readonly payload: object;
  readonly state?: OperationState;
  /** Rows, each a second older than the one before and with its place as total. */
  readonly count?: number;
};

/** Saves operations of a kind without batches and jobs. Returns their ids, newest first. */
export async function seedOperations(
  { sql }: Pick<TestDatabase, 'sql'>,
  kind: AnyKind,
  { accountId, payload, state = 'completed', count = 1 }: Seed,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into operation (kind, account_id, state, payload, progress, total, created_at)
    select ${kind.name}, ${accountId}, ${state}, ${JSON.stringify(payload)}::text::jsonb,
      ${JSON.stringify(kind.start)}::text::jsonb, n, ${NOW.toISOString()}::timestamptz - n * interval '1 s'
    from generate_series(1, ${count}::int) n returning id`;
  return rows.map(({ id }) => id);
}

/** Cleans operations of all kinds. */
export const cleanOperations = (database: TestDatabase) =>
  createCleaner(operationKinds)(jobCtx(database), {});
