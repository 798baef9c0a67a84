import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound } from '../../core/errors.ts';
import type { DocumentField } from '../../db/tables/documents.ts';
import { deleteDecision, findDecision, saveDecision } from './edits.store.ts';
import { findProblem } from './suggest/field-validation.ts';
import { changeDocument, requireRevision } from './document-change.domain.ts';
import type { DocumentResponse, FieldEdit } from './schemas.ts';
import * as store from './store.ts';
import { updateListing } from './text-index.domain.ts';
import { suggestFromLines } from './view.ts';

/**
 * Saves the owner's decision about a field. A confirmed value stays, whatever later recognitions
 * suggest. Throws 409 for a stale revision.
 */
export function decideField(
  ctx: Ctx,
  id: string,
  field: DocumentField,
  { action, value: given, revision }: FieldEdit,
): Promise<DocumentResponse> {
  const value = given?.trim();
  if (action === 'correct' && !value)
    throw invalidField('value', 'Required with the action correct');
  if (action !== 'correct' && value !== undefined) {
    throw invalidField('value', `Not allowed with the action ${action}`);
  }
  const problem = value === undefined ? undefined : findProblem(field, value);
  if (problem) throw invalidField('value', problem);
  return changeDocument(ctx, id, async ({ db, now }, assetId) => {
    const current = await findDecision(db, assetId, field);
    requireRevision(revision, current?.revision);
    const decided = action === 'confirm' ? await getSuggestedValue(db, assetId, field) : value;
    await saveDecision(
      db,
      { assetId, field, action, value: decided ?? null, revision: (current?.revision ?? 0) + 1 },
      now(),
    );
    await updateListing(db, assetId);
  });
}

async function getSuggestedValue(
  db: Ctx['db'],
  assetId: string,
  field: DocumentField,
): Promise<string> {
  const suggestion = suggestFromLines(await store.listLines(db, [assetId])).get(field);
  if (!suggestion) throw badRequest('There is no suggestion to confirm');
  return suggestion.value;
}

/** Deletes the decision, so that the suggestion applies again. */
export const deleteFieldDecision = (
  ctx: Ctx,
  id: string,
  field: DocumentField,
  revision: number,
): Promise<DocumentResponse> =>
  changeDocument(ctx, id, async ({ db }, assetId) => {
    const current = await findDecision(db, assetId, field);
    if (!current) throw notFound('Decision');
    requireRevision(revision, current.revision);
    await deleteDecision(db, assetId, field);
    await updateListing(db, assetId);
  });
