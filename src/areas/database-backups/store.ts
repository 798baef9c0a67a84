import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { schedules } from '../../db/tables/jobs.ts';
import { backUpDatabase } from './jobs.ts';

/** Returns when the schedule makes the next backup; undefined: never. */
export async function findNextRun(db: Db): Promise<Date | undefined> {
  const [row] = await db
    .select({ nextAt: schedules.nextAt })
    .from(schedules)
    .where(eq(schedules.name, backUpDatabase.name));
  return row?.nextAt;
}
