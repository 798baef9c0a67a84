import { expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { startDispatcher } from './dispatch.ts';

const database = await useDatabase();
const { sql } = database;

const addRunning = (name: string, leaseMinutes: number) => sql`
  insert into job (name, queue, lane, payload, state, run_at, lease_until, worker)
  select ${name}, 'backgroundTask', 'background', '{}', 'running', at, at, 'dead'
  from (select now() + ${leaseMinutes}::float8 * interval '1 minute' as at) given`;

test('a process that was stopped lets its threads renew their leases before it takes them for dead', async () => {
  let polls = 0;
  const dispatcher = startDispatcher({
    deps: database.deps,
    lanes: ['background'],
    jobs: [],
    wake: () => {},
    readConfig: async () => {
      polls += 1;
      return { limits: {}, logThreshold: 'info', timetable: {} };
    },
    pollMs: 1000,
  });
  const isHeld = async () => (await sql`select from job where state = 'running'`).length === 1;
  await addRunning('of a dead one', -1);
  await until(async () => !(await isHeld()));
  await sql`truncate job`;
  // It expires while the process is stopped, which happens between two polls.
  await addRunning('ours', 0.1);
  const before = polls;
  await until(() => polls > before);
  await Bun.sleep(500);
  Bun.sleepSync(11_700);
  const stopped = polls;
  while (polls < stopped + 3) {
    expect(await isHeld()).toBe(true);
    await Bun.sleep(50);
  }
  await until(async () => !(await isHeld()));
  await dispatcher.stop();
}, 60_000);
