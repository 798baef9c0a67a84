import type { Db } from '../../db/client.ts';
import { listColours, saveTextPart } from '../search/index.ts';
import { saveFoldedText, saveIsDocument } from './edits.store.ts';
import { foldLines, searchableText } from './line-text.ts';
import { isDocument } from './page-filling.ts';
import { listDecisions, listLines } from './store.ts';

/** Updates the searchable text of the document. Call in the transaction that changed its lines. */
export async function indexLines(db: Db, assetId: string): Promise<void> {
  const text = searchableText(await listLines(db, [assetId]));
  await saveFoldedText(db, assetId, foldLines(text));
  await updateListing(db, assetId);
  await saveTextPart(db, assetId, 'read', text);
}

/** Decides anew whether the list of documents shows the photo, after its lines or decisions have changed. */
export async function updateListing(db: Db, assetId: string): Promise<void> {
  const [lines, decisions, colours] = [
    await listLines(db, [assetId]),
    await listDecisions(db, assetId),
    await listColours(db, assetId),
  ];
  await saveIsDocument(db, assetId, isDocument(lines, decisions, colours));
}
