import { defineSink, type Label } from '../../../inference/index.ts';
import { MAX_COUNT, toCountLabel } from './evidence.ts';
import { saveLabels } from './labels.store.ts';
import { listSceneSignals } from './scenes.store.ts';
import { findLikelyScenes, findScenes } from './scenes.ts';

// Labels that the models give to a picture, for the search.

export const tagLabelSink = defineSink({
  task: 'labels',
  async store(db, { assetId, colours = [] }, labels) {
    await saveLabels(db, assetId, 'tags', labels);
    await saveLabels(db, assetId, 'colours', colours);
  },
});

export const objectLabelSink = defineSink({
  task: 'objects',
  store(db, { assetId }, objects) {
    return saveLabels(db, assetId, 'objects', countObjects(objects));
  },
});

/** Returns the best score of each object, and one label per further object of a kind: '2 zebra'. */
function countObjects(objects: readonly Label[]): Label[] {
  const scores = Map.groupBy(objects, ({ label }) => label);
  return [...scores].flatMap(([label, all]) =>
    all
      .map(({ score }) => score)
      .toSorted((a, b) => b - a)
      .slice(0, MAX_COUNT)
      .map((score, at) => ({ label: at === 0 ? label : toCountLabel(at + 1, label), score })),
  );
}

export const sceneSink = defineSink({
  task: 'labels',
  async store(db, asset, tags) {
    const signals = await listSceneSignals(db, asset, tags);
    const scenes = [...findScenes(signals), ...findLikelyScenes(signals)];
    await saveLabels(db, asset.assetId, 'scenes', scenes);
  },
});
