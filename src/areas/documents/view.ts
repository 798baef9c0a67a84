import { DOCUMENT_FIELDS, type DocumentFieldRow } from '../../db/tables/documents.ts';
import { omitDismissed, getText, joinLines } from './line-text.ts';
import type { DocumentFieldView, DocumentLine, DocumentResponse } from './schemas.ts';
import type { LineRow } from './store.ts';
import { type Suggestions, suggestFields } from './suggest/suggest.ts';

export type DocumentView = {
  readonly id: string;
  readonly isOwner: boolean;
  readonly lines: readonly LineRow[];
  readonly decisions: readonly DocumentFieldRow[];
};

/** Returns the wire form. Decisions and suggestions are for the owner only. */
export function toDocument({ id, isOwner, lines, decisions }: DocumentView): DocumentResponse {
  const revisions = [...lines, ...decisions].map(({ revision }) => revision ?? 0);
  return {
    id,
    isOwner,
    revision: Math.max(0, ...revisions),
    text: joinLines(lines),
    lines: lines.map((line) => toLine(line, isOwner)),
    fields: isOwner ? toFields(suggestFromLines(lines), decisions) : [],
  };
}

/** Returns suggestions from the corrected text. */
export const suggestFromLines = (lines: readonly LineRow[]): Suggestions =>
  suggestFields(omitDismissed(lines).map((line) => ({ ...line, text: getText(line) })));

const toLine = (row: LineRow, isOwner: boolean): DocumentLine => ({
  line: row.line,
  text: getText(row),
  recognizedText: row.text,
  isDismissed: row.action === 'dismiss',
  confidence: row.score,
  box: [...row.quad],
  edit:
    isOwner && row.editId && row.revision && row.action && row.updatedAt
      ? {
          editId: row.editId,
          revision: row.revision,
          action: row.action,
          updatedAt: row.updatedAt.toISOString(),
        }
      : null,
});

function toFields(
  suggestions: Suggestions,
  decisions: readonly DocumentFieldRow[],
): DocumentFieldView[] {
  return DOCUMENT_FIELDS.map((field) => {
    const suggestion = suggestions.get(field);
    const decision = decisions.find((one) => one.field === field);
    return {
      field,
      suggestedValue: suggestion?.value ?? null,
      confidence: suggestion?.confidence ?? null,
      lines: [...(suggestion?.lines ?? [])],
      decision: decision
        ? {
            action: decision.action,
            value: decision.value,
            revision: decision.revision,
            updatedAt: decision.updatedAt.toISOString(),
          }
        : null,
    };
  });
}
