import { lockPicture } from '../assets/picture/index.ts';
import { computeIou, defineSink } from '../../inference/index.ts';
import { listDecidedObservations, type Observation, saveObservations } from './sink.store.ts';

const MIN_SCORE = 0.5;

/** Pet species by COCO label; zoo animals are no pets. */
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
      return species && score >= MIN_SCORE ? [{ species, score, box }] : [];
    });
    const decided = await listDecidedObservations(db, assetId);
    const news = seen.filter((one) => !decided.some((known) => isSame(one, known)));
    await saveObservations(db, { assetId, ownerId: picture.ownerId, modelId }, news);
  },
});

/** Minimum overlap (intersection over union) of two boxes of one animal. */
const MIN_OVERLAP = 0.5;

const isSame = (a: Observation, b: Observation): boolean =>
  a.species === b.species && computeIou(a.box, b.box) >= MIN_OVERLAP;
