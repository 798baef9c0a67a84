import { handleContinueBackfill } from '../../src/areas/workflows/backfill/backfill.handlers.ts';
import { handleAdvanceRuns } from '../../src/areas/workflows/runs/run.handlers.ts';
import type { WorkflowLogEntry } from '../../src/areas/workflows/schemas.ts';
import { handleUndoBackfill } from '../../src/areas/workflows/undo/undo.handlers.ts';
import type { App } from '../../src/app.ts';
import { call, type TestDatabase, type TestUser } from './harness.ts';
import { jobCtx } from './processing.ts';

/** Steps by the short name of a method of Immich's, as `core('assetFavorite')`. */
export const core = (name: string, config: object | null = {}, enabled = true) => ({
  method: `immich-plugin-core#${name}`,
  config,
  enabled,
});

/** The same for our own methods. */
export const own = (name: string, config: object = {}) => ({ method: `safelight#${name}`, config });

/** Creates a workflow that logs, and returns its id. */
export async function addWorkflow(
  app: App,
  as: TestUser,
  steps: readonly object[],
  over: object = {},
): Promise<string> {
  const body = { trigger: 'AssetTagged', logging: true, steps, ...over };
  const { status, body: made } = await call(app, 'POST /workflows', { as, body });
  if (status !== 201) throw new Error(`POST /workflows: ${status} ${JSON.stringify(made)}`);
  return made.id;
}

/** Creates a workflow that logs and fails after these steps: its album is deleted. Returns its id. */
export async function addFailingWorkflow(
  app: App,
  as: TestUser,
  steps: readonly object[] = [],
): Promise<string> {
  const { body: album } = await call(app, 'POST /albums', { as, body: { albumName: 'Gone' } });
  const failing = core('assetAddToAlbums', { albumIds: [album.id] });
  const id = await addWorkflow(app, as, [...steps, failing]);
  await call(app, `DELETE /albums/${album.id}`, { as });
  return id;
}

/** Creates a tag and gives it to the items: an event of each. */
export async function tagAssets(app: App, as: TestUser, assetIds: readonly string[]) {
  const { body: tag } = await call(app, 'POST /tags', { as, body: { name: crypto.randomUUID() } });
  await call(app, `PUT /tags/${tag.id}/assets`, { as, body: { ids: assetIds } });
  return tag.id as string;
}

/** Runs the waiting jobs of workflows, and those that they enqueue, as last attempts. */
export async function runWorkflows(database: TestDatabase): Promise<void> {
  for (;;) {
    const rows = await database.sql<{ assetId: string }[]>`
      delete from job where name = 'workflows.advance' returning payload ->> 'assetId' as "assetId"`;
    if (rows.length === 0) return;
    for (const { assetId } of rows) await handleAdvanceRuns(jobCtx(database), { assetId });
  }
}

export const readLog = async (app: App, as: TestUser, id: string): Promise<WorkflowLogEntry[]> =>
  (await call(app, `GET /workflows/${id}/logs`, { as })).body;

type BackfillJob = 'backfill' | 'advanceBackfilled' | 'undoBackfill';

/** Works on runs of workflows for existing items as the queue would. */
export function createBackfillRunner(database: TestDatabase) {
  /** Runs one waiting job of this name; returns whether there was one. */
  async function runJob(name: BackfillJob): Promise<boolean> {
    const [job] = await database.sql<{ payload: never; item_id: string | null }[]>`
      delete from job where id = (select id from job where name = ${`workflows.${name}`} limit 1)
      returning payload, item_id`;
    if (!job) return false;
    const ctx = jobCtx(database);
    if (name === 'backfill') {
      const effect = await handleContinueBackfill(ctx, job.payload);
      await database.db.transaction(async (tx) => void (await effect?.(tx)));
    } else if (name === 'undoBackfill') await handleUndoBackfill(ctx, job.payload);
    else await handleAdvanceRuns(ctx, job.payload);
    if (job.item_id) {
      await database.sql`
        with item as (
          update job_run_item set status = 'succeeded' where id = ${job.item_id} returning run_id)
        insert into job_run_count (run_id, succeeded, finished_at) select run_id, 1, now() from item`;
    }
    return true;
  }
  /** Runs all that wait. */
  const runAll = async (): Promise<void> => {
    while (
      (await runJob('advanceBackfilled')) ||
      (await runJob('backfill')) ||
      (await runJob('undoBackfill'))
    );
  };
  return { runJob, runAll };
}
