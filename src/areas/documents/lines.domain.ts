import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound } from '../../core/errors.ts';
import { deleteEdit, deleteUnreadLines, saveEdit } from './edits.store.ts';
import { indexLines } from './text-index.domain.ts';
import { changeDocument, requireRevision } from './document-change.domain.ts';
import type { DocumentResponse, LineEdit } from './schemas.ts';
import * as store from './store.ts';

/**
 * Corrects or dismisses a recognized line. The recognized text is kept. Throws 409 for a stale
 * revision.
 */
export function editLine(
  ctx: Ctx,
  id: string,
  { line, action, text: given, editId, revision }: LineEdit,
): Promise<DocumentResponse> {
  const text = given?.trim();
  if (action === 'correct' && !text) throw invalidField('text', 'Required with the action correct');
  if (action === 'dismiss' && text !== undefined)
    throw invalidField('text', 'Not allowed with the action dismiss');
  return changeDocument(ctx, id, async ({ db, now }, assetId) => {
    const current = (await store.listLines(db, [assetId])).find((one) => one.line === line);
    if (!current) throw badRequest(`Line ${line} does not exist`);
    // The edit that the caller knows was replaced.
    const isOther = editId !== undefined && editId.toLowerCase() !== current.editId;
    requireRevision(isOther ? -1 : revision, current.revision ?? undefined);
    await saveEdit(
      db,
      { assetId, line, action, text: text ?? null, revision: (current.revision ?? 0) + 1 },
      now(),
    );
    await indexLines(db, assetId);
  });
}

/** Deletes an edit: the line shows again as it was recognized. */
export const deleteLineEdit = (
  ctx: Ctx,
  id: string,
  editId: string,
  revision: number,
): Promise<DocumentResponse> =>
  changeDocument(ctx, id, async ({ db }, assetId) => {
    const lines = await store.listLines(db, [assetId]);
    const current = lines.find((line) => line.editId === editId.toLowerCase());
    if (!current) throw notFound('Edit');
    requireRevision(revision, current.revision ?? undefined);
    await deleteEdit(db, assetId, editId);
    await deleteUnreadLines(db, assetId);
    await indexLines(db, assetId);
  });
