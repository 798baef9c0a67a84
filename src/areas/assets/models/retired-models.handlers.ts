import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isModelStillNeeded } from '../../../inference/subject.store.ts';
import type { DataPaths } from '../../../core/paths.ts';
import type { Db } from '../../../db/client.ts';
import {
  type Capabilities,
  getCapabilities,
  getSearchChoice,
  listSemanticModels,
} from '../../../inference/index.ts';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { deleteUnusedResults } from '../../../inference/jobs.ts';
import { embedFace } from '../jobs.ts';
import * as store from './retired-models.store.ts';

/** A million vectors are too many for one transaction. */
const BATCH_SIZE = 20_000;
const RETENTION_DAYS = 30;

/**
 * Deletes one batch of vectors of one retired model and enqueues the next batch. A model's vectors stay
 * until an installed model of its kind has analysed everything: searches use them until then.
 */
export const handleDeleteUnusedResults: JobHandler<typeof deleteUnusedResults> = async (ctx) => {
  const capabilities = getCapabilities(ctx.settings);
  const installed = Object.values(capabilities).map(({ modelId }) => modelId);
  const kept = (await isGoingBackPossible(ctx)) ? listSemanticModels(ctx.settings) : [];
  const used = [...installed, ...kept.map(({ modelId }) => modelId)];
  for (const model of await store.listRetiredModels(ctx.db, used)) {
    if (!(await isReplaced(ctx.db, model, capabilities))) continue;
    const faces = capabilities.faces?.modelId;
    const faceIds =
      model.kind === 'face' && faces
        ? await store.listFacesEmbeddedOnlyBy(ctx.db, model.id, faces)
        : [];
    return async (tx) => {
      // Faces drawn by the owner get an embedding of the new model from the picture.
      const payloads = faceIds.map((faceId) => ({ faceId }));
      if (faceIds.length > 0) await enqueueMany(tx, embedFace, payloads);
      await store.deletePersonVectors(tx, model.modelId);
      const hasMore = await store.deleteVectors(tx, model, BATCH_SIZE);
      await enqueue(tx, deleteUnusedResults, {});
      return hasMore ? undefined : () => deleteVectorFiles(ctx.paths, model.stamp);
    };
  }
  return undefined;
};

/**
 * Whether the vectors of models that were replaced in the search are kept: for some days, while the models are there and
 * the owner has not said to be content with the new one.
 */
async function isGoingBackPossible({ db, settings }: Pick<JobCtx, 'db' | 'settings'>) {
  const modelId = getCapabilities(settings).embedding?.modelId;
  if (modelId === undefined || getSearchChoice(settings).confirmed === modelId) return false;
  return store.hasChangedWithin(db, 'embedding', RETENTION_DAYS);
}

async function isReplaced(
  db: Db,
  { modelId, kind }: store.RetiredModel,
  capabilities: Capabilities,
): Promise<boolean> {
  const tasks = kind === null ? [] : store.TASKS_BY_KIND[kind];
  if (tasks.some((task) => !capabilities[task])) return false;
  return !(await isModelStillNeeded(db, modelId)) && !(await store.hasFramesWaiting(db, modelId));
}

/** Deletes the vector files of all machines that have used this data folder. */
async function deleteVectorFiles({ vectors }: DataPaths, stamp: string): Promise<void> {
  const machines = await readdir(vectors).catch(() => []);
  for (const machine of machines) {
    await rm(join(vectors, machine, stamp), { recursive: true, force: true });
  }
}
