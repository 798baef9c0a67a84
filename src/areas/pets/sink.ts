import { lockPicture } from '../../access/pictures.ts';
import { defineSink } from '../../inference/index.ts';
import { saveObservations } from './sink.store.ts';

const LEAST_SCORE = 0.5;

/** Animals that live with people; what lives in zoos is no pet. */
const SPECIES: Readonly<Record<string, string>> = {
  cat: 'cat',
  dog: 'dog',
  bird: 'bird',
  horse: 'horse',
  sheep: 'other',
  cow: 'other',
};

export const petsSink = defineSink({
  task: 'objects',
  async store(db, { assetId }, found, { modelId }) {
    const picture = await lockPicture(db, assetId);
    if (!picture) return;
    const seen = found.flatMap(({ label, score, box }) => {
      const species = SPECIES[label];
      return species && score >= LEAST_SCORE ? [{ species, score, box }] : [];
    });
    await saveObservations(db, { assetId, ownerId: picture.ownerId, modelId }, seen);
  },
});
