import type { Db } from '../../db/client.ts';
import { saveTextPart } from '../search/index.ts';
import { saveFoldedText } from './edits.store.ts';
import { foldLines, searchableText } from './line-text.ts';
import { listLines } from './store.ts';

/** Makes the document found by what its lines say now. Call in the transaction that changed them. */
export async function indexLines(db: Db, assetId: string): Promise<void> {
  const text = searchableText(await listLines(db, [assetId]));
  await saveFoldedText(db, assetId, foldLines(text));
  await saveTextPart(db, assetId, 'read', text);
}
