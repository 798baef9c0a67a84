import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import {
  documentEdits,
  documentFields,
  type DocumentLineRow,
  documentLines,
  documents,
} from '../../db/tables/documents.ts';
import { queryRows } from '../../db/query.ts';

export const hasDecisions = async (db: Db, assetId: string): Promise<boolean> =>
  (await db.$count(documentFields, eq(documentFields.assetId, assetId))) > 0;

/** Deletes the document with its lines, edits and decisions. */
export async function deleteDocument(db: Db, assetId: string): Promise<void> {
  await db.delete(documents).where(eq(documents.assetId, assetId));
}

type Recognition = {
  readonly assetId: string;
  readonly modelId: string;
};

export async function saveDocument(db: Db, recognition: Recognition): Promise<void> {
  // A trigger sets the columns that follow from the asset.
  await queryRows(
    db,
    sql`
    insert into document (asset_id, model_id, folded)
    values (${recognition.assetId}, ${recognition.modelId}, '')
    on conflict (asset_id) do update set model_id = excluded.model_id, recognized_at = now()`,
  );
}

/** Replaces the lines of an asset and deletes edits of other lines. */
export async function replaceLines(
  db: Db,
  assetId: string,
  lines: readonly DocumentLineRow[],
): Promise<void> {
  await db.delete(documentLines).where(eq(documentLines.assetId, assetId));
  const numbers = lines.map(({ line }) => line);
  await db
    .delete(documentEdits)
    .where(
      and(
        eq(documentEdits.assetId, assetId),
        numbers.length > 0 ? notInArray(documentEdits.line, numbers) : undefined,
      ),
    );
  if (lines.length > 0) await db.insert(documentLines).values([...lines]);
}
