import { and, eq, ne, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import {
  type DocumentEditRow,
  documentEdits,
  type DocumentField,
  type DocumentFieldRow,
  documentFields,
  documents,
} from '../../db/tables/documents.ts';
import { queryRows } from '../../db/query.ts';

// The caller has locked the asset.

export async function findDecision(
  db: Db,
  assetId: string,
  field: DocumentField,
): Promise<DocumentFieldRow | undefined> {
  const [row] = await db
    .select()
    .from(documentFields)
    .where(and(eq(documentFields.assetId, assetId), eq(documentFields.field, field)));
  return row;
}

type Decision = Pick<DocumentFieldRow, 'assetId' | 'field' | 'action' | 'value' | 'revision'>;

export async function saveDecision(db: Db, decision: Decision, now: Date): Promise<void> {
  const row = { ...decision, updatedAt: now };
  await db
    .insert(documentFields)
    .values(row)
    .onConflictDoUpdate({ target: [documentFields.assetId, documentFields.field], set: row });
}

export async function deleteDecision(db: Db, assetId: string, field: DocumentField): Promise<void> {
  await db
    .delete(documentFields)
    .where(and(eq(documentFields.assetId, assetId), eq(documentFields.field, field)));
}

type Edit = Pick<DocumentEditRow, 'assetId' | 'line' | 'action' | 'text' | 'revision'>;

/** Inserts or replaces the edit of a line; the id stays. */
export async function saveEdit(db: Db, edit: Edit, now: Date): Promise<void> {
  const row = { ...edit, updatedAt: now };
  await db
    .insert(documentEdits)
    .values({ ...row, createdAt: now })
    .onConflictDoUpdate({ target: [documentEdits.assetId, documentEdits.line], set: row });
}

export async function deleteEdit(db: Db, assetId: string, id: string): Promise<void> {
  await db
    .delete(documentEdits)
    .where(and(eq(documentEdits.assetId, assetId), eq(documentEdits.id, id)));
}

/** Deletes lines that are no longer recognized and have no edit. */
export async function deleteUnreadLines(db: Db, assetId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from document_line line where asset_id = ${assetId} and not is_read and not exists (
      select from document_edit edit where edit.asset_id = line.asset_id and edit.line = line.line)`,
  );
}

export async function saveIsDocument(
  db: Db,
  assetId: string,
  fillsPicture: boolean,
): Promise<void> {
  await db
    .update(documents)
    .set({ fillsPicture })
    .where(and(eq(documents.assetId, assetId), ne(documents.fillsPicture, fillsPicture)));
}

export async function saveFoldedText(db: Db, assetId: string, folded: string): Promise<void> {
  await db.update(documents).set({ folded }).where(eq(documents.assetId, assetId));
}
