import { defineSink } from '../../inference/index.ts';
import { enqueue } from '../../jobs/queue.ts';
import { matchPictures } from './jobs.ts';
import { addChange } from './match.store.ts';

/** Marks new feature vectors for comparison, once they are committed. */
export const duplicateSink = defineSink({
  task: 'feature',
  async store(db, { assetId }, _vector, { modelId }) {
    await addChange(db, assetId, modelId);
    await enqueue(db, matchPictures, {});
  },
});
