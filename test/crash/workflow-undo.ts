import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import { call, seed } from '../support/harness.ts';
import { addManyAssets } from '../support/many-assets.ts';
import type { Studio } from '../support/studio.ts';
import { addWorkflow, core } from '../support/workflows.ts';

/** Undoes a run of a workflow that has made items favourites. One of them is none any more. */
export async function startWorkflowUndo({ database }: Studio, app: App, count: number) {
  const { sql } = database;
  const me = await seed(database).user(['all']);
  const [left] = await addManyAssets(database, me.id, count);
  const workflow = await addWorkflow(app, me, [core('assetFavorite')]);
  const path = `/workflows/${workflow}/backfills` as const;
  const { body: run } = await call(app, `POST ${path}`, { as: me });
  await sql`delete from job where name = 'workflows.backfill'`;
  await sql`update job_run set counted_at = now() where id = ${run.id}`;
  await sql`update asset set is_favorite = id <> ${left!} where owner_id = ${me.id}`;
  await sql`
    insert into workflow_change (backfill_id, asset_id, field, former, latter)
    select ${run.id}, id, 'favorite', '{"value": false, "isEdited": false}', 'true'
    from asset where owner_id = ${me.id}`;
  const { status } = await call(app, `POST ${path}/${run.id}/undo`, { as: me });
  expect(status).toBe(200);
  const read = async () => (await call(app, `GET ${path}`, { as: me })).body[0].undo;
  return {
    me,
    id: run.id,
    read,
    async check() {
      expect(await read()).toMatchObject({ total: count, restored: count - 1, changed: 1 });
      const favourites = sql`select from asset where owner_id = ${me.id} and is_favorite`;
      expect(await favourites).toHaveLength(0);
      // Each item has changed once: by the run or by the person, and then by the undo.
      const [row] = await sql`
        select max(state_revision)::int as most from asset where owner_id = ${me.id}`;
      expect(row!['most']).toBe(2);
    },
  };
}
