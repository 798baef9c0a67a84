import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, notFound } from '../../core/errors.ts';
import type { DocumentField } from '../../db/tables/documents.ts';
import { deleteDecision, findDecision, saveDecision } from './edits.store.ts';
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

type ValueRule = {
  readonly isValid: (text: string) => boolean;
  readonly wanted: string;
};

const DAY_RULE: ValueRule = {
  isValid: isDay,
  wanted: 'Expected a day of the calendar, as 2024-03-12',
};

/**
 * Rules of fields that programs calculate with or sort by. Names, numbers and titles are free text.
 */
const VALUE_RULES: Readonly<Partial<Record<DocumentField, ValueRule>>> = {
  date: DAY_RULE,
  'due-date': DAY_RULE,
  'expiry-date': DAY_RULE,
  'total-amount': {
    isValid: (text) => /^-?\d{1,12}(\.\d{1,3})?$/.test(text),
    wanted: 'Expected an amount without a currency, as 1234.50',
  },
  currency: {
    isValid: (text) => CURRENCIES.has(text),
    wanted: 'Expected the three letters of a currency, as EUR',
  },
};

/** ISO 4217 codes, also historic ones, without the two for no currency. */
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter((code) => code !== 'XXX' && code !== 'XTS'),
);

/** Returns the error for a value given by the owner; undefined when it is valid. */
function findProblem(field: DocumentField, value: string): string | undefined {
  const kind = VALUE_RULES[field];
  return kind && !kind.isValid(value) ? kind.wanted : undefined;
}

/** YYYY-MM-DD, the form of suggestions. */
function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
