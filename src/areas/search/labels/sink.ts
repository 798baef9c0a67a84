import { defineSink } from '../../../inference/index.ts';
import { saveLabels } from './labels.store.ts';
import { listSceneSignals } from './scenes.store.ts';
import { findScenes } from './scenes.ts';

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
    const best = new Map<string, number>();
    for (const { label, score } of objects) best.set(label, Math.max(score, best.get(label) ?? 0));
    const labels = [...best].map(([label, score]) => ({ label, score }));
    return saveLabels(db, assetId, 'objects', labels);
  },
});

export const sceneSink = defineSink({
  task: 'labels',
  async store(db, asset, tags) {
    const signals = await listSceneSignals(db, asset, tags);
    await saveLabels(db, asset.assetId, 'scenes', findScenes(signals));
  },
});
