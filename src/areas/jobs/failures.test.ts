import { beforeEach, expect, test } from 'bun:test';
import { Type } from 'typebox';
import { useApp } from '../../../test/support/database.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications, setPreferences } from '../../../test/support/notifications.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { defineJob } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { runLane } from '../../jobs/run.ts';
import { handleReportFailures } from './handlers.ts';

const { database, app } = await useApp();
let admin: TestUser;
let user: TestUser;
beforeEach(async () => {
  await database.sql`delete from job`;
  await database.sql`update app_user set is_admin = false`;
  admin = await seed(database).user(['all'], { isAdmin: true });
  user = await seed(database).user();
});

/** The latest of failed jobs of one name, and older ones. */
async function fail(name: string, jobs = 1, state = 'failed'): Promise<void> {
  await database.sql`
    insert into job (name, queue, lane, payload, state, last_error, finished_at)
    select ${name}, 'thumbnailGeneration', 'image', '{}', ${state},
      case when n = 1 then 'no decoder' else 'older' end, now() - n * interval '1 second'
    from generate_series(1, ${jobs}::int) n`;
}
async function report(): Promise<void> {
  const effect = await handleReportFailures(jobCtx(database), {});
  await database.db.transaction(async (tx) => void (await effect!(tx)));
}
const list = async (as: TestUser) =>
  (await listNotifications(app, as)).map(({ data }) => [data!['name'], data!['count']].join(' '));

test('ten thousand failures are one notification to administrators, by name of the job', async () => {
  await fail('image.render', 10_000);
  await fail('video.render');
  await fail('waits', 1, 'waiting');
  await fail('cancelled', 1, 'cancelled');
  await report();
  expect((await list(admin)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'image.render 10000',
    'video.render 1',
  ]);
  const all = await listNotifications(app, admin);
  expect(all.find(({ data }) => data!['name'] === 'image.render')).toMatchObject({
    type: 'JobFailed',
    level: 'error',
    title: 'Job Failed',
    description: 'Job image.render failed with error: no decoder',
  });
  expect(await list(user)).toEqual([]);
});

test('a failure is told once; later ones are added to what was not read', async () => {
  await fail('image.render', 2);
  await report();
  await report();
  expect(await list(admin)).toEqual(['image.render 2']);
  await fail('image.render');
  await report();
  expect(await list(admin)).toEqual(['image.render 3']);
  await database.sql`update notification set read_at = now()`;
  await report();
  await fail('image.render');
  await report();
  expect((await list(admin)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'image.render 1',
    'image.render 3',
  ]);
});

test('a fault of the machine is told once when it lasts', async () => {
  const save = (name: string, minutes: number) => database.sql`
    insert into job_fault (name, lane, error, since)
    values (${name}, 'metadata', 'exiftool is not installed', now() - ${minutes}::int * interval '1 minute')`;
  await save('assets.readMetadata', 6);
  await save('assets.renderImage', 1);
  await report();
  await report();
  expect(await listNotifications(app, admin)).toMatchObject([
    {
      title: 'Jobs Wait',
      description:
        'Jobs assets.readMetadata wait until the machine can run them: exiftool is not installed',
    },
  ]);
  expect(await list(user)).toEqual([]);
  await database.sql`delete from job_fault`;
});

test('who has switched it off is not told', async () => {
  await setPreferences(app, admin, { jobFailed: false });
  await fail('image.render');
  await report();
  expect(await list(admin)).toEqual([]);
});

test('what is rolled back is told the next time', async () => {
  await fail('image.render');
  const effect = await handleReportFailures(jobCtx(database), {});
  const rolledBack = database.db.transaction(async (tx) => {
    await effect!(tx);
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  expect(await list(admin)).toEqual([]);
  await report();
  expect(await list(admin)).toEqual(['image.render 1']);
});

test('a job that the queue has parked is told, one that is tried again is not', async () => {
  const define = (name: string, attempts: number) =>
    defineJob({
      name,
      queue: 'backgroundTask',
      lane: 'background',
      attempts,
      payload: Type.Object({}),
    });
  const jobs = [define('parked', 1), define('retried', 2)] as const;
  for (const job of jobs) await enqueue(database.db, job, {});
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const refuse = () => Promise.reject(new Error('broken'));
  const run = runLane({
    deps: database.deps,
    lane: 'background',
    worker: crypto.randomUUID(),
    jobs,
    handlers: { parked: refuse, retried: refuse },
    concurrency: 1,
    onIdle: resolve,
  });
  await idle;
  await run.stop(0);
  await report();
  expect(await list(admin)).toEqual(['parked 1']);
});
