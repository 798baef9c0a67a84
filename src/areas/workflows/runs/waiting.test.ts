import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { writeFaceModels } from '../../../../test/support/generated-models.ts';
import {
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  addWorkflow,
  core,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { App } from '../../../app.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { wakeRuns, wakeRunsByFaces } from '../../workflow-events/index.ts';
import { handleSweepRuns } from './run.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let photo: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  await writeFaceModels(join(database.deps.settings.dataDir, 'models/facial-recognition/made'), 64);
  clearModelCache();
});
afterAll(async () => {
  await database.close();
  clearModelCache();
});
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
});

const saveAnalysis = () => database.sql`
  insert into asset_analysis (asset_id, task, model_id) values (${photo}, 'faces', 'm')`;

async function addWaitingRun(): Promise<{ id: string; personId: string; faceId: string }> {
  const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const face = await addFace(database, { ownerId: me.id, assetId: photo });
  await database.sql`update face set clustered_at = null where id = ${face.id}`;
  const steps = [core('assetFavorite'), core('filterPerson', { personIds: [personId] })];
  const id = await addWorkflow(app, me, steps);
  await tagAssets(app, me, [photo]);
  await runWorkflows(database);
  return { id, personId, faceId: face.id };
}

describe('a step that needs recognition', () => {
  test('waits until the faces are found and known, and then goes on', async () => {
    const { id, personId, faceId } = await addWaitingRun();
    expect(await readLog(app, me, id)).toEqual([]);
    const [waiting] = await database.sql`
      select waits_for, next_step from workflow_run where workflow_id = ${id}`;
    expect(waiting).toEqual({ waits_for: 'faces', next_step: 1 });

    await saveAnalysis();
    await wakeRuns(database.db, [photo]);
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toEqual([]);

    await database.sql`
      update face set person_id = ${personId}, clustered_at = now() where id = ${faceId}`;
    await wakeRunsByFaces(database.db, [faceId]);
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toMatchObject([{ result: 'completed' }]);
  });

  test('is found by the sweep if nothing woke it', async () => {
    const { id } = await addWaitingRun();
    await saveAnalysis();
    await database.sql`update face set clustered_at = now() where asset_id = ${photo}`;
    await handleSweepRuns(jobCtx(database), {});
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toMatchObject([
      { result: 'halted', lastStep: { index: 1 } },
    ]);
  });

  test('of another asset, or that waits for nothing, is not enqueued', async () => {
    await addWaitingRun();
    const other = await seed(database).asset({ ownerId: me.id });
    await wakeRuns(database.db, [other]);
    await wakeRunsByFaces(database.db, []);
    expect(await database.sql`select 1 from job where name = 'workflows.advance'`).toHaveLength(0);
  });
});
