import type { Db } from '../../db/client.ts';
import { saveTextPart } from '../search/index.ts';
import { saveFoldedText } from './edits.store.ts';
import { foldLines, searchableText } from './line-text.ts';
import { listLines } from './store.ts';

/** Updates the searchable text of the document. Call in the transaction that changed its lines. */
export async function indexLines(db: Db, assetId: string): Promise<void> {
  const text = searchableText(await listLines(db, [assetId]));
  await saveFoldedText(db, assetId, foldLines(text));
  await saveTextPart(db, assetId, 'read', text);
}
