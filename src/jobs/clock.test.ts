import { beforeEach, describe, expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { createClockWatch, pullInFarTimes } from './clock.ts';
import { definePeriodicJob } from './define.ts';
import { startDispatcher } from './dispatch.ts';

const database = await useDatabase();
const { sql, db } = database;
const DAY = 24 * 60;
const hourly = definePeriodicJob({ name: 'hourly', attempts: 1, everyMinutes: 60 });
const nightly = definePeriodicJob({ name: 'nightly', attempts: 1, everyMinutes: DAY });

beforeEach(async () => {
  await sql`truncate job, schedule`;
});

const add = (name: string, state: string, minutes: number) => sql`
  insert into job (name, queue, lane, payload, state, run_at, lease_until, worker)
  select ${name}, 'backgroundTask', 'background', '{}', ${state}, at,
    case when ${state} = 'running' then at end, case when ${state} = 'running' then 'dead' end
  from (select now() + ${minutes}::float8 * interval '1 minute' as at) given`;
const schedule = (name: string, minutes: number) => sql`
  insert into schedule (name, next_at) values (${name}, now() + ${minutes}::int * interval '1 minute')`;
/** Minutes from now, by name. */
const listTimes = async (): Promise<Record<string, number>> => {
  const rows = await sql<{ name: string; minutes: number }[]>`
    select name, round(extract(epoch from at - now()) / 60)::int as minutes from (
      select name, coalesce(lease_until, run_at) as at from job
      union all select name, next_at from schedule) found`;
  return Object.fromEntries(rows.map(({ name, minutes }) => [name, minutes]));
};

describe('a clock that was set back', () => {
  test('leaves nothing waiting longer than it ever would', async () => {
    await add('retried', 'waiting', 75);
    await add('of the future', 'waiting', 2 * DAY);
    await add('held', 'running', DAY);
    await add('working', 'running', 1);
    await schedule('hourly', DAY);
    await schedule('nightly', 3 * DAY);
    await pullInFarTimes(db, [hourly, nightly], { nightly: '0 3 * * *' });
    const { nightly: night, ...times } = await listTimes();
    expect(times).toEqual({ retried: 75, 'of the future': 0, held: 5, working: 1, hourly: 60 });
    expect(night).toBeLessThanOrEqual(DAY);
  });

  test('is noticed by a dispatcher that starts afterwards', async () => {
    await add('of the future', 'waiting', 2 * DAY);
    const woken: string[] = [];
    const dispatcher = startDispatcher({
      deps: database.deps,
      lanes: ['background'],
      jobs: [],
      wake: (lane) => woken.push(lane),
      pollMs: 20,
    });
    await until(() => woken.length > 0);
    expect(await listTimes()).toEqual({ 'of the future': 0 });
    await dispatcher.stop();
  });

  test('is told from one that goes on, and from one that is set forward', async () => {
    let passed = 0;
    const wasSetBack = createClockWatch(() => performance.now() + passed);
    expect(await wasSetBack(db)).toBe(true);
    expect(await wasSetBack(db)).toBe(false);
    // More time has passed than the clock tells.
    passed += 60_000;
    expect(await wasSetBack(db)).toBe(true);
    expect(await wasSetBack(db)).toBe(false);
    passed -= 3_600_000;
    expect(await wasSetBack(db)).toBe(false);
  });
});
