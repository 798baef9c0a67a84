import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isModelStillNeeded } from '../../../inference/subject.store.ts';
import type { DataPaths } from '../../../core/paths.ts';
import type { Db } from '../../../db/client.ts';
import { type Capabilities, getCapabilities } from '../../../inference/index.ts';
import type { HandlerOf } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { embedFace, deleteUnusedResults } from '../../../jobs/registry.ts';
import * as store from './retired-models.store.ts';

/** A million vectors are no one transaction's work. */
const BATCH = 20_000;

/**
 * One batch of one model, and the job for the next one. What a model has made stays as long as no other
 * of its kind is installed, and until the new one has seen everything: searches may use it again.
 */
export const handleForgetModels: HandlerOf<typeof deleteUnusedResults> = async (ctx) => {
  const capabilities = getCapabilities(ctx.settings);
  const used = Object.values(capabilities).map(({ modelId }) => modelId);
  for (const model of await store.findOldModels(ctx.db, used)) {
    if (!(await isReplaced(ctx.db, model, capabilities))) continue;
    const faces = capabilities.faces?.modelId;
    const alone =
      model.kind === 'face' && faces ? await store.facesKnownOnlyBy(ctx.db, model.id, faces) : [];
    return async (tx) => {
      // From the picture, which needs no vector: nobody whom the owner drew is lost.
      const payloads = alone.map((faceId) => ({ faceId }));
      if (alone.length > 0) await enqueueMany(tx, embedFace, payloads);
      await store.removePersonVectors(tx, model.modelId);
      const hasMore = await store.removeVectors(tx, model, BATCH);
      await enqueue(tx, deleteUnusedResults, {});
      return hasMore ? undefined : () => removeVectorFiles(ctx.paths, model.stamp);
    };
  }
  return undefined;
};

async function isReplaced(
  db: Db,
  { modelId, kind }: store.OldModel,
  capabilities: Capabilities,
): Promise<boolean> {
  const tasks = kind === null ? [] : store.TASKS_OF_KIND[kind];
  if (tasks.some((task) => !capabilities[task])) return false;
  return !(await isModelStillNeeded(db, modelId)) && !(await store.hasFrames(db, modelId));
}

/** Of every machine that has had this folder. */
async function removeVectorFiles({ vectors }: DataPaths, stamp: string): Promise<void> {
  const machines = await readdir(vectors).catch(() => []);
  for (const machine of machines) {
    await rm(join(vectors, machine, stamp), { recursive: true, force: true });
  }
}
