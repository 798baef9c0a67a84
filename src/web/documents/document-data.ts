import { get, put, remove } from '../api.ts';
import type {
  DocumentFieldView,
  DocumentLine,
  DocumentResponse,
  DocumentSearchResponse,
  DocumentSummary,
  FieldEdit,
} from '../../areas/documents/schemas.ts';

export type { DocumentFieldView, DocumentLine, DocumentResponse, DocumentSummary };

export const fetchDocuments = (query: string, page: number): Promise<DocumentSearchResponse> =>
  get('/documents', { page, ...(query && { query }) });
export const fetchDocument = (id: string): Promise<DocumentResponse> => get(`/documents/${id}`);

/** Each change answers the whole document. The recognized text itself never changes. */
const changeLine = (
  id: string,
  { line, edit }: DocumentLine,
  change: { action: 'correct' | 'dismiss'; text?: string },
): Promise<DocumentResponse> =>
  put(`/documents/${id}/lines`, {
    line,
    ...change,
    ...(edit && { editId: edit.editId, revision: edit.revision }),
  });
export const correctLine = (id: string, line: DocumentLine, text: string) =>
  changeLine(id, line, { action: 'correct', text });
export const dismissLine = (id: string, line: DocumentLine) =>
  changeLine(id, line, { action: 'dismiss' });
export const restoreLine = (id: string, { edit }: DocumentLine): Promise<DocumentResponse> =>
  remove(`/documents/${id}/lines/${edit!.editId}?revision=${edit!.revision}`);

export const decideField = (
  id: string,
  { field, decision }: DocumentFieldView,
  edit: Pick<FieldEdit, 'action' | 'value'>,
): Promise<DocumentResponse> =>
  put(`/documents/${id}/fields/${field}`, {
    ...edit,
    ...(decision && { revision: decision.revision }),
  });
export const forgetField = (
  id: string,
  { field, decision }: DocumentFieldView,
): Promise<DocumentResponse> =>
  remove(`/documents/${id}/fields/${field}?revision=${decision!.revision}`);
