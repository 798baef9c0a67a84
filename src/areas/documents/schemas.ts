import { t } from 'elysia';
import { DOCUMENT_FIELDS, FIELD_ACTIONS, LINE_ACTIONS } from '../../db/tables/documents.ts';
import { PageNumber, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const Field = stringEnum(DOCUMENT_FIELDS, { title: 'DocumentField' });
const Fraction = t.Number({ minimum: 0, maximum: 1 });
const Revision = t.Integer({ minimum: 1, maximum: 2_147_483_647 });
const LineNumber = t.Integer({ minimum: 0, maximum: 2_147_483_647 });

export const DocumentsQuery = t.Object({
  page: t.Optional(PageNumber),
  query: t.Optional(t.String({ maxLength: 200 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 250, default: 100 })),
});
export type DocumentsFilter = typeof DocumentsQuery.static;

export const FieldParams = t.Object({ id: Uuid, field: Field });
export const EditParams = t.Object({ id: Uuid, editId: Uuid });
export const RevisionQuery = t.Object({ revision: Revision });

const DocumentSummaryDto = t.Object(
  {
    id: Uuid,
    originalFileName: t.String(),
    fileCreatedAt: Timestamp,
    localDateTime: Timestamp,
    thumbhash: t.Nullable(t.String()),
    lineCount: t.Integer({ minimum: 1 }),
    snippet: t.String({ maxLength: 300 }),
    hasCorrections: t.Boolean(),
  },
  { title: 'DocumentSummaryDto' },
);
export type DocumentSummary = typeof DocumentSummaryDto.static;

export const DocumentSearchResponseDto = t.Object(
  {
    items: t.Array(DocumentSummaryDto),
    total: t.Integer({ minimum: 0 }),
    page: t.Integer(),
    size: t.Integer(),
    hasNextPage: t.Boolean(),
  },
  { title: 'DocumentSearchResponseDto' },
);
export type DocumentSearchResponse = typeof DocumentSearchResponseDto.static;

const DocumentLineEditStateDto = t.Object(
  {
    editId: Uuid,
    revision: Revision,
    action: stringEnum(LINE_ACTIONS, { title: 'DocumentLineAction' }),
    updatedAt: Timestamp,
  },
  { title: 'DocumentLineEditStateDto' },
);

const DocumentLineDto = t.Object(
  {
    line: LineNumber,
    text: t.String(),
    recognizedText: t.String(),
    isDismissed: t.Boolean(),
    confidence: Fraction,
    box: t.Array(t.Number(), { minItems: 8, maxItems: 8 }),
    edit: t.Nullable(DocumentLineEditStateDto),
  },
  { title: 'DocumentLineDto' },
);
export type DocumentLine = typeof DocumentLineDto.static;

const DocumentFieldDecisionDto = t.Object(
  {
    action: stringEnum(FIELD_ACTIONS, { title: 'DocumentFieldAction' }),
    value: t.Nullable(t.String()),
    revision: Revision,
    updatedAt: Timestamp,
  },
  { title: 'DocumentFieldDecisionDto' },
);

const DocumentFieldDto = t.Object(
  {
    field: Field,
    suggestedValue: t.Nullable(t.String()),
    confidence: t.Nullable(Fraction),
    lines: t.Array(t.Integer()),
    decision: t.Nullable(DocumentFieldDecisionDto),
  },
  { title: 'DocumentFieldDto' },
);
export type DocumentFieldView = typeof DocumentFieldDto.static;

export const DocumentResponseDto = t.Object(
  {
    id: Uuid,
    isOwner: t.Boolean(),
    revision: t.Integer({ minimum: 0 }),
    text: t.String(),
    lines: t.Array(DocumentLineDto),
    fields: t.Array(DocumentFieldDto),
  },
  { title: 'DocumentResponseDto' },
);
export type DocumentResponse = typeof DocumentResponseDto.static;

export const DocumentFieldEditDto = t.Object(
  {
    action: stringEnum(FIELD_ACTIONS, { title: 'DocumentFieldAction' }),
    value: t.Optional(t.String({ minLength: 1, maxLength: 500 })),
    revision: t.Optional(Revision),
  },
  { title: 'DocumentFieldEditDto' },
);
export type FieldEdit = typeof DocumentFieldEditDto.static;

export const DocumentLineEditDto = t.Object(
  {
    line: LineNumber,
    action: stringEnum(LINE_ACTIONS, { title: 'DocumentLineAction' }),
    text: t.Optional(t.String({ minLength: 1, maxLength: 2000 })),
    editId: t.Optional(Uuid),
    revision: t.Optional(Revision),
  },
  { title: 'DocumentLineEditDto' },
);
export type LineEdit = typeof DocumentLineEditDto.static;

const Score = t.Number({ format: 'double' });

/** Lines in the form of Immich's OCR overlay. */
export const AssetOcrResponseDto = t.Object(
  {
    id: Uuid,
    assetId: Uuid,
    text: t.String(),
    boxScore: Score,
    textScore: Score,
    x1: Score,
    y1: Score,
    x2: Score,
    y2: Score,
    x3: Score,
    y3: Score,
    x4: Score,
    y4: Score,
  },
  { title: 'AssetOcrResponseDto' },
);
export type AssetOcr = typeof AssetOcrResponseDto.static;
