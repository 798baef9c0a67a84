import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../test/support/database.ts';
import { call, NOW, seed } from '../../test/support/harness.ts';
import { listNotifications } from '../../test/support/notifications.ts';
import { jobCtx } from '../../test/support/processing.ts';
import { until } from '../../test/support/until.ts';
import { handleReportFailures } from '../areas/jobs/handlers.ts';
import { handleExpireTrash } from '../areas/trash/retention/retention.handlers.ts';
import { startDispatcher } from './dispatch.ts';
import { createTimeRecorder, getCutoff, listUncountedTime, readClocks } from './passed-time.ts';

const { database, app } = await useApp();
const { sql, db } = database;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const POLL_MS = 6 * HOUR;

beforeEach(async () => {
  await sql`truncate clock_span, job, schedule`;
  await sql`delete from asset`;
});

/** A machine whose time the test lets pass, and whose clock it sets. */
function createMachine() {
  let boot = 1;
  let uptimeMs = 0;
  let nowMs = NOW.getTime();
  const read = () => ({ bootId: `boot ${boot}`, uptimeMs, nowMs });
  let record = createTimeRecorder(read);
  return {
    now: () => new Date(nowMs),
    /** Runs so long, with a poll each few hours. */
    async run(ms: number) {
      await record(db);
      for (let left = ms; left > 0; left -= POLL_MS) {
        const step = Math.min(left, POLL_MS);
        uptimeMs += step;
        nowMs += step;
        await record(db);
      }
    },
    async setClock(byMs: number) {
      nowMs += byMs;
      await record(db);
    },
    /** The process is away so long, while the machine runs. */
    restart(ms = 0) {
      uptimeMs += ms;
      nowMs += ms;
      record = createTimeRecorder(read);
    },
    /** The machine is off so long. */
    reboot(offMs: number) {
      boot += 1;
      uptimeMs = 60_000;
      nowMs += offMs + uptimeMs;
      record = createTimeRecorder(read);
    },
  };
}
type Machine = ReturnType<typeof createMachine>;

/** Whether what happened now would be deleted after so many days, at the end of `then`. */
async function isDeleted(machine: Machine, days: number, then: () => unknown): Promise<boolean> {
  const at = machine.now();
  await then();
  return (await getCutoff(db, days * DAY)) > at;
}

describe('what is deleted after 30 days', () => {
  const days = 30;

  test('is deleted after so many days that a server runs, and not a moment before', async () => {
    const machine = createMachine();
    await machine.run(5 * DAY);
    expect(await isDeleted(machine, days, () => machine.run(30 * DAY))).toBe(false);
    expect(await isDeleted(machine, days, () => machine.run(30 * DAY + HOUR))).toBe(true);
  });

  test('is kept when the clock leaps 31 days ahead, and deleted 30 days later', async () => {
    const machine = createMachine();
    await machine.run(DAY);
    const trashedAt = machine.now();
    const { id: ownerId } = await seed(database).user();
    await seed(database).asset({ ownerId, trashedAt });
    const count = async () => {
      await handleExpireTrash(jobCtx(database, { now: machine.now }), {});
      return (await sql`select from asset`).length;
    };
    await machine.setClock(31 * DAY);
    await machine.run(29 * DAY);
    expect(await count()).toBe(1);
    await machine.run(2 * DAY);
    expect(await count()).toBe(0);
  });

  test('is kept when the clock leaps ahead while the process or the machine restarts', async () => {
    const machine = createMachine();
    await machine.run(DAY);
    const leap = async () => {
      machine.restart();
      await machine.setClock(31 * DAY);
      machine.reboot(31 * DAY);
      await machine.run(HOUR);
    };
    expect(await isDeleted(machine, days, leap)).toBe(false);
    expect(await isDeleted(machine, days, () => machine.run(31 * DAY))).toBe(true);
  });

  test('is deleted in its time when the clock is set back by a day, and never sooner', async () => {
    const machine = createMachine();
    await machine.run(40 * DAY);
    const before = machine.now();
    await machine.setClock(-DAY);
    const after = machine.now();
    await machine.run(30 * DAY);
    expect((await getCutoff(db, days * DAY)) > after).toBe(false);
    await machine.run(DAY + HOUR);
    expect((await getCutoff(db, days * DAY)) > after).toBe(true);
    await machine.run(DAY);
    expect((await getCutoff(db, days * DAY)) > before).toBe(true);
  });

  test('is kept when a clock that leapt ahead is set right again', async () => {
    const machine = createMachine();
    await machine.run(40 * DAY);
    await machine.setClock(90 * DAY);
    await machine.run(HOUR);
    const wrong = machine.now();
    await machine.setClock(-90 * DAY);
    const right = machine.now();
    await machine.run(29 * DAY);
    expect((await getCutoff(db, days * DAY)) > right).toBe(false);
    await machine.run(92 * DAY);
    expect((await getCutoff(db, days * DAY)) > wrong).toBe(true);
  });
});

describe('time counts', () => {
  const countDays = async () =>
    Number((await sql`select max(to_ms) as ms from clock_span`)[0]!['ms']) / DAY;

  test('in full while the process is away and the machine runs', async () => {
    const machine = createMachine();
    await machine.run(HOUR);
    machine.restart(9 * DAY);
    await machine.run(HOUR);
    expect(await countDays()).toBeCloseTo(9 + 2 / 24, 2);
    expect(await listUncountedTime(db)).toEqual([]);
  });

  test('in full on a machine that is off each night', async () => {
    const machine = createMachine();
    for (let day = 0; day < 10; day++) {
      await machine.run(9 * HOUR);
      machine.reboot(15 * HOUR);
    }
    await machine.run(HOUR);
    expect(await countDays()).toBeWithin(9.9, 10.1);
    expect(await listUncountedTime(db)).toEqual([]);
  });

  test('as a day while the machine is off for a month', async () => {
    const machine = createMachine();
    await machine.run(10 * DAY);
    machine.reboot(31 * DAY);
    await machine.run(HOUR);
    expect(await countDays()).toBeWithin(11, 11.1);
    expect(await listUncountedTime(db)).toEqual([{ at: expect.any(String), days: 30 }]);
  });

  test('hardly when a machine whose clock is wrong boots again and again', async () => {
    const machine = createMachine();
    await machine.run(10 * DAY);
    for (let boots = 0; boots < 40; boots++) {
      machine.reboot(31 * DAY);
      await machine.run(0);
    }
    expect(await countDays()).toBeWithin(10, 11.2);
  });

  test('once for several machines', async () => {
    const [one, two] = [createMachine(), createMachine()];
    two.reboot(0);
    for (let hour = 0; hour < 48; hour++) {
      await one.run(HOUR);
      await two.run(HOUR);
    }
    expect(await countDays()).toBeWithin(1.9, 2.2);
  });
});

test('the clocks of this machine are read, and a dispatcher records them', async () => {
  const clocks = readClocks();
  expect(clocks.bootId).not.toBe('');
  expect(clocks.uptimeMs).toBeGreaterThan(0);
  const dispatcher = startDispatcher({ deps: database.deps, lanes: [], jobs: [], wake: () => {} });
  await until(async () => (await sql`select from clock_span`).length > 0);
  await dispatcher.stop();
  const [span] = await sql`select boot_id from clock_span`;
  expect(span!['boot_id']).toBe(clocks.bootId);
});

test('administrators are told of a leap once, and see it; others do not', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const user = await seed(database).user();
  const machine = createMachine();
  await machine.run(HOUR);
  await machine.setClock(2 * HOUR);
  await machine.setClock(31 * DAY);
  for (let times = 0; times < 2; times++) {
    const effect = await handleReportFailures(jobCtx(database), {});
    await db.transaction(async (tx) => void (await effect!(tx)));
  }
  expect(await listNotifications(app, admin)).toMatchObject([
    { title: 'Deletions Wait', data: { uncountedDays: 31 } },
  ]);
  expect(await listNotifications(app, user)).toEqual([]);
  const { body } = await call(app, 'GET /admin/machine', { as: admin });
  expect(body.uncountedTime).toEqual([{ at: machine.now().toISOString(), days: 31 }]);
});
