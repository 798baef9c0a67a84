import type { TestDatabase } from './harness.ts';

/** Lets the server have seen all time pass from the year 2000 until then, as one that was never off. */
export async function passTimeUntil(
  { sql }: Pick<TestDatabase, 'sql'>,
  until: Date,
): Promise<void> {
  const from = new Date('2000-01-01T00:00:00Z');
  const ms = until.getTime() - from.getTime();
  await sql`truncate clock_span`;
  await sql`
    insert into clock_span (boot_id, uptime_ms, started_at, from_ms, to_ms, uncounted_ms)
    values ('test', ${ms}, ${from.toISOString()}, 0, ${ms}, 0)`;
}
