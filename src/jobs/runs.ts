import { randomUUIDv7 } from 'bun';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import type { JobRunTarget, JobRunTrigger } from '../db/tables/jobs.ts';
import type { AnyJob, JobPayload, QueueName } from './define.ts';
import { enqueue, enqueueAll, toJobInsert } from './queue.ts';

// A run is what was started once: by hand, by the schedule, or for the whole library. Its items are jobs.
// The statements that end jobs end the items: see run-items.ts.

export type NewRun = {
  /** The name of the manual job, the handler, or the queue that was started. */
  readonly name: string;
  readonly queue: QueueName;
  readonly trigger: JobRunTrigger;
  readonly isForced?: boolean;
  readonly requestedBy?: string | undefined;
};

/** Inserts a run and returns its id. Its items follow: `enqueueInRun`, and `finishCounting` after the last. */
export async function startRun(
  db: Db,
  { name, queue, trigger, isForced = false, requestedBy }: NewRun,
): Promise<string> {
  const id = randomUUIDv7();
  await queryRows(
    db,
    sql`
    insert into job_run (id, name, queue, trigger, is_forced, requested_by, created_at)
    values (${id}, ${name}, ${queue}, ${trigger}, ${isForced}, ${requestedBy ?? null}, now())`,
  );
  return id;
}

/** Marks that all items of a run have been added, or why they cannot be. */
export async function finishCounting(db: Db, runId: string, error?: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update job_run set counted_at = now(), error = ${error ?? null}
    where id = ${runId}::uuid and counted_at is null`,
  );
}

/** Starts a run of one job. */
export async function enqueueRun<J extends AnyJob>(
  db: Db,
  run: NewRun,
  job: J,
  payload: JobPayload<J>,
): Promise<void> {
  const id = await startRun(db, run);
  await enqueueInRun(db, id, job, [payload]);
  await finishCounting(db, id);
}

/**
 * Starts a run whose items are added by a job that gets its id. Where such a job waits already, there is no
 * second run.
 */
export async function startCounting<J extends AnyJob>(
  db: Db,
  run: NewRun,
  job: J,
  toPayload: (runId: string) => JobPayload<J>,
): Promise<void> {
  const id = await startRun(db, run);
  await enqueue(db, job, toPayload(id));
  await queryRows(
    db,
    sql`
    delete from job_run where id = ${id}::uuid and not exists (
      select from job where name = ${job.name} and payload ->> 'runId' = ${id})`,
  );
}

/** Enqueues jobs as items of a run, in this order. Those that another run waits for are skipped. */
export async function enqueueInRun<J extends AnyJob>(
  db: Db,
  runId: string,
  job: J,
  payloads: readonly JobPayload<J>[],
): Promise<void> {
  if (payloads.length === 0) return;
  const inserts = payloads.map((payload) => ({
    ...toJobInsert(job, payload),
    itemId: randomUUIDv7(),
  }));
  await insertItems(
    db,
    runId,
    inserts.map(({ itemId, payload }) => ({ id: itemId, ...findTarget(payload) })),
  );
  await enqueueAll(db, inserts);
  await attachWaiting(
    db,
    runId,
    inserts.map(({ itemId, name, key }) => ({ id: itemId, name, key })),
  );
}

/**
 * Enqueues a job that continues another: as the next item of its run, if that is an item. Call it in the
 * effect of the other job, so that the run does not end between them.
 */
export async function enqueueNext<J extends AnyJob>(
  db: Db,
  itemId: string | null | undefined,
  job: J,
  payload: JobPayload<J>,
): Promise<void> {
  const [item] = await queryRows(
    db,
    { run_id: column.uuid },
    sql`select run_id from job_run_item where id = ${itemId ?? null}::uuid`,
  );
  await (item ? enqueueInRun(db, item.run_id, job, [payload]) : enqueue(db, job, payload));
}

type Target = { readonly type: JobRunTarget; readonly targetId: string | null };

function findTarget(payload: unknown): Target {
  const { assetId, personId, ownerId, userId } = payload as Record<string, string | undefined>;
  if (assetId) return { type: 'asset', targetId: assetId };
  if (personId) return { type: 'person', targetId: personId };
  const account = ownerId ?? userId;
  return account ? { type: 'user', targetId: account } : { type: 'none', targetId: null };
}

async function insertItems(
  db: Db,
  runId: string,
  items: readonly (Target & { readonly id: string })[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    with run as (
      update job_run set items = items + ${items.length}::int where id = ${runId}::uuid
      returning id, items - ${items.length}::int as before
    )
    insert into job_run_item (id, run_id, position, target_type, target_id)
    select (item ->> 'id')::uuid, run.id, run.before + place, item ->> 'type',
      (item ->> 'targetId')::uuid
    from run, jsonb_array_elements(${JSON.stringify(items)}::jsonb) with ordinality given (item, place)`,
  );
}

/**
 * Gives the items whose job was waiting already to that job; ends those whose job is an item of another
 * run.
 */
async function attachWaiting(
  db: Db,
  runId: string,
  items: readonly { readonly id: string; readonly name: string; readonly key: string | null }[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    with loose as materialized (
      select id, name, key
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) item (id uuid, name text, key text)
      where not exists (select from job where job.item_id = item.id)
    ), attached as (
      update job set item_id = loose.id from loose
      where job.name = loose.name and job.unique_key = loose.key and job.state = 'waiting'
        and job.item_id is null
      returning job.item_id
    ), skipped as (
      update job_run_item set status = 'skipped', finished_at = now()
      where id in (select id from loose except select item_id from attached) returning 1
    )
    insert into job_run_count (run_id, skipped, finished_at)
    select ${runId}::uuid, count(*), now() from skipped having count(*) > 0`,
  );
}
