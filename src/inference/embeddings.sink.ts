import { defineSink } from './tasks.ts';
import { saveEmbeddings } from './vectors/store.ts';

/** For search by meaning. */
export const embeddingSink = defineSink({
  task: 'embedding',
  store: (db, { assetId }, vector, { modelId }) =>
    saveEmbeddings(db, modelId, [{ kind: 'asset', subjectId: assetId, vector }]),
});

/** For near-equal pictures. */
export const featureSink = defineSink({
  task: 'feature',
  store: (db, { assetId }, vector, { modelId }) =>
    saveEmbeddings(db, modelId, [{ kind: 'asset', subjectId: assetId, vector }]),
});
