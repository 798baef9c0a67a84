import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../../../test/support/database.ts';
import { writeClip } from '../../../../test/support/generated-models.ts';
import { seed } from '../../../../test/support/harness.ts';
import { MODELS, withModels } from '../../../../test/support/models.ts';
import { addFace, addPerson, FACE_MODEL, faceVector } from '../../../../test/support/people.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { CONSE, getCapabilities, saveEmbeddings } from '../../../inference/index.ts';
import { saveSearchChoice } from '../../../inference/models/search-choice.ts';
import { handleDeleteUnusedResults } from './retired-models.handlers.ts';

const database = await useDatabase();
let ownerId: string;
beforeAll(async () => {
  ownerId = (await seed(database).user()).id;
});
beforeEach(async () => {
  await database.sql`truncate job, asset_analysis, embedding_model, video_enrichment cascade`;
  await database.sql`delete from face`;
  await database.sql`delete from asset`;
});

const OLD = 'old-clip';
const installed = () => withModels(database.deps.settings.dataDir);
const NEW = MODELS && getCapabilities({ ...withModels('/nowhere') }).embedding!.modelId;

/** Deletes one batch. Returns whether there was one. */
async function forget(settings = installed()): Promise<boolean> {
  const effect = await handleDeleteUnusedResults(jobCtx(database, { settings }), {});
  if (!effect) return false;
  const after = await database.db.transaction((tx) => effect(tx));
  await after?.();
  return true;
}
async function forgetAll(): Promise<number> {
  for (let batches = 0; ; batches++) if (!(await forget())) return batches;
}

async function seen(modelId: string, over: object = {}): Promise<string> {
  const id = await seed(database).asset({ ownerId, ...over });
  await database.sql`insert into asset_file values (${id}, 'preview', 'n', 'image/jpeg', 1, 't')`;
  await database.sql`insert into asset_analysis (asset_id, task, model_id)
    values (${id}, 'embedding', ${modelId})`;
  await embed(OLD, 'asset', id);
  return id;
}
const embed = (modelId: string, kind: 'asset' | 'face' | 'frame', subjectId: string) =>
  database.db.transaction((tx) =>
    saveEmbeddings(tx, modelId, [{ kind, subjectId, vector: faceVector(0) }]),
  );
const models = async (): Promise<string[]> =>
  (await database.sql`select model_id from embedding_model order by model_id`).map(
    (row) => row['model_id'],
  );
const vectors = async (): Promise<number> => (await database.sql`select 1 from embedding`).length;

skipWithout('models').describe('embeddings of a retired model', () => {
  test('are deleted once the new model has processed every asset, not before', async () => {
    const [first, second] = [await seen(OLD), await seen(OLD)];
    await embed(NEW!, 'asset', first);
    await database.sql`update asset_analysis set model_id = ${NEW!} where asset_id = ${first}`;
    expect(await forget()).toBe(false);
    expect(await vectors()).toBe(3);
    await embed(NEW!, 'asset', second);
    await database.sql`update asset_analysis set model_id = ${NEW!}`;
    const [row] = await database.sql`select stamp from embedding_model where model_id = ${OLD}`;
    const folder = join(database.deps.paths.vectors, 'a-machine', row!['stamp']);
    await mkdir(folder, { recursive: true });
    expect(await forgetAll()).toBe(2);
    expect(await models()).toEqual([NEW!]);
    expect(await vectors()).toBe(2);
    expect(existsSync(folder)).toBe(false);
    expect(await forget()).toBe(false);
  });

  test('are kept for 30 days while their model is there, unless the owner is content', async () => {
    await seen(CONSE);
    await embed(CONSE, 'asset', crypto.randomUUID());
    const folder = join(database.deps.settings.dataDir, 'models');
    await writeClip(join(folder, 'clip/made'), { dimension: 16, side: 32 });
    clearModelCache();
    await database.sql`update asset_analysis set model_id = 'made'`;
    await database.sql`insert into analysis_model (task, model_id) values ('embedding', 'made')`;
    const forgotten = async () => {
      clearModelCache();
      await forgetAll();
      return !(await models()).includes(CONSE);
    };
    expect(await forgotten()).toBe(false);
    saveSearchChoice(folder, { confirmed: 'another' });
    expect(await forgotten()).toBe(false);
    saveSearchChoice(folder, { confirmed: 'made' });
    expect(await forgotten()).toBe(true);
    await embed(CONSE, 'asset', crypto.randomUUID());
    saveSearchChoice(folder, {});
    await database.sql`update analysis_model set changed_at = now() - interval '29 days'`;
    expect(await forgotten()).toBe(false);
    await database.sql`update analysis_model set changed_at = now() - interval '31 days'`;
    expect(await forgotten()).toBe(true);
    await rm(folder, { recursive: true });
    await database.sql`delete from analysis_model`;
    clearModelCache();
  });

  test('are kept while no other model of that kind is installed', async () => {
    await seen('gone');
    await database.sql`update asset_analysis set model_id = 'nobody'`;
    const settings = { ...installed(), modelsDir: join(database.deps.settings.dataDir, 'none') };
    expect(await forget(settings)).toBe(false);
    expect(await models()).toEqual([OLD]);
  });

  test('are deleted despite assets that cannot be analysed or whose jobs failed', async () => {
    const hidden = await seen(OLD, { visibility: 'hidden' });
    const bare = await seen(OLD);
    const failing = await seen(OLD);
    await database.sql`delete from asset_file where asset_id = ${bare}`;
    expect(await forget()).toBe(false);
    await database.sql`
      insert into job (name, queue, lane, payload, state)
      values ('inference.analyze', 'smartSearch', 'inference',
        jsonb_build_object('assetId', ${failing}::text), 'failed')`;
    await forgetAll();
    expect(await models()).toEqual([]);
    expect(hidden).toBeString();
  });

  test('are kept until the frames of videos are processed', async () => {
    const video = await seed(database).asset({ ownerId, type: 'VIDEO' });
    await database.sql`
      insert into video_enrichment (asset_id, status, models) values (${video}, 'ready', ${`a ${OLD}`})`;
    await embed(OLD, 'frame', crypto.randomUUID());
    expect(await forget()).toBe(false);
    await database.sql`update video_enrichment set models = 'a'`;
    await forgetAll();
    expect(await models()).toEqual([]);
  });

  test('of faces drawn by the owner are computed again from their pictures', async () => {
    const faces = getCapabilities(installed()).faces!.modelId;
    const { id: personId, faces: known } = await addPerson(database, { ownerId, name: 'Ann' }, [
      faceVector(0),
    ]);
    const drawn = await addFace(database, {
      ownerId,
      personId,
      source: 'manual',
      decidedBy: 'owner',
      vector: faceVector(1),
    });
    await embed(faces, 'face', known[0]!.id);
    await database.sql`insert into person_vector (person_id, model_id, faces, vector)
      values (${personId}, ${FACE_MODEL}, 2, '\\x00')`;
    await forgetAll();
    expect(await models()).toEqual([faces]);
    expect(await database.sql`select 1 from person_vector`).toHaveLength(0);
    const jobs = await database.sql`select payload from job where name = 'faces.embed'`;
    expect(jobs.map((job) => job['payload'])).toEqual([{ faceId: drawn.id }]);
    // The faces themselves are the owner's.
    expect(await database.sql`select 1 from face where person_id = ${personId}`).toHaveLength(2);
  });
});
