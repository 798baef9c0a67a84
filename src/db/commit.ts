import { sql } from 'drizzle-orm';
import type { Db } from './client.ts';

/**
 * The transaction ends before it is on the disk: the power going within the next second takes it back as
 * a whole, never half, and never without those after it. For steps of a work that goes on from what is
 * stored, and that nothing outside the database depends on: no file goes, nobody is told that it is done.
 */
export async function commitLazily(db: Db): Promise<void> {
  await db.execute(sql`set local synchronous_commit to off`);
}
