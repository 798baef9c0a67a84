import { getCapabilities, getInference, saveEmbeddings } from '../../inference/index.ts';
import type { JobHandler } from '../../jobs/define.ts';
import type { embedFace } from '../assets/index.ts';
import { deletePersonVectors, isSameBox } from '../people/index.ts';
import { requeueFace } from './sink.store.ts';
import { findFaceById, findPreview } from './store.ts';
import * as storage from '../../storage/index.ts';

/**
 * Computes the vector of a drawn face. Without models or preview it gets one with the next
 * analysis.
 */
export const handleEmbedFace: JobHandler<typeof embedFace> = async (ctx, { faceId }) => {
  const model = getCapabilities(ctx.settings).faces;
  const face = await findFaceById(ctx.db, faceId);
  const preview = face && (await findPreview(ctx.db, face.assetId));
  if (!model || !face || !preview) return undefined;
  const path = await storage.requireFile(ctx, storage.derivedFile(ctx.paths, preview));
  const { x1, y1, x2, y2 } = face;
  // Edits have cropped it away.
  if (Math.min(x1 + x2, y1 + y2) < 0 || Math.max(x1 + x2, y1 + y2) > 2) return undefined;
  const [vector] = await getInference(ctx).embedFaces({ path }, [{ box: { x1, y1, x2, y2 } }], {
    signal: ctx.signal,
  });
  if (!vector) return undefined;
  return async (tx) => {
    const now = await findFaceById(tx, faceId);
    // Moved meanwhile: its own job follows.
    if (!now || !isSameBox(now, face)) return;
    await saveEmbeddings(tx, model.modelId, [{ kind: 'face', subjectId: faceId, vector }]);
    await requeueFace(tx, faceId, model.modelId);
    if (now.personId) await deletePersonVectors(tx, [now.personId]);
  };
};
