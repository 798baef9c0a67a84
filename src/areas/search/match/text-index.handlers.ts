import { type AssetTexts, lockExisting, listAssetTexts } from './texts.store.ts';
import { listCaptureTypes } from '../../assets/index.ts';
import { findOwnLabels } from '../labels/own-labels.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { indexText } from '../jobs.ts';
import { findTextChanges, saveTextVectors } from './text-index.store.ts';
import { isCorrectable, buildTextVector, toCaptureLabel } from './words.ts';

const ASSETS_PER_RUN = 2000;

/** Indexes one batch and enqueues the next run while there are more. */
export const handleIndexText: JobHandler<typeof indexText> = async ({ db }) => {
  // Change marks are read before the texts: a change in between is marked again.
  const changed = await findTextChanges(db, ASSETS_PER_RUN);
  if (!changed) return undefined;
  const vocabulary = await loadVocabulary();
  const texts = await listAssetTexts(db, changed.assetIds, vocabulary.broader);
  const lists = texts.map((one) => {
    const own = findOwnLabels(one.confirmed, vocabulary);
    const weighted = groupByWeight({ ...one, tags: [...one.tags, ...own.names] });
    const all = [...one.labels, ...own.labels, ...listCaptureLabels(one)];
    return { assetId: one.id, ...buildTextVector(weighted, all, one.month) };
  });
  const words = new Set(lists.flatMap((list) => list.words.filter(isCorrectable)));
  return async (tx) => {
    const existing = await lockExisting(tx, changed.assetIds);
    const kept = lists.filter((list) => existing.has(list.assetId));
    await saveTextVectors(tx, changed.marks, kept, [...words]);
    await enqueue(tx, indexText, {});
  };
};

const listCaptureLabels = (texts: AssetTexts) => listCaptureTypes(texts).map(toCaptureLabel);

const ENDING = /\.[a-z0-9]{2,5}$/i;

function groupByWeight({ description, tags, fileName, parts, ...about }: AssetTexts) {
  const texts = (...kinds: AssetTexts['parts'][number]['kind'][]) =>
    parts.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : []));
  const known = (...values: (string | null)[]) => values.filter((value) => value !== null);
  return {
    chosen: known(description, ...tags),
    places: known(about.city, about.state, about.country),
    names: [fileName.replace(ENDING, ''), ...known(about.make, about.model), ...texts('caption')],
    recognised: texts('read', 'spoken'),
  };
}
