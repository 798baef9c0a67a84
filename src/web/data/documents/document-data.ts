import { get, put, remove } from '../../base/api.ts';
import { mutate, queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  DocumentFieldView,
  DocumentLine,
  DocumentResponse,
  DocumentSearchResponse,
  DocumentSummary,
  FieldEdit,
} from '../../../areas/documents/schemas.ts';

export type { DocumentFieldView, DocumentLine, DocumentResponse, DocumentSummary };

export const fetchDocuments = (query: string, page: number): Promise<DocumentSearchResponse> =>
  get('/documents', { page, ...(query && { query }) });
export const fetchDocument = (id: string): Promise<DocumentResponse> => get(`/documents/${id}`);

/**
 * Every change returns the whole document; the recognized text itself never changes. After a refusal
 * the document is read again, because somebody else has changed it.
 */
const change = (id: string, send: () => Promise<DocumentResponse>): Promise<DocumentResponse> =>
  mutate(
    async () => {
      const document = await send().catch(async (error: unknown) => {
        await queryClient.invalidateQueries({ queryKey: keys.documents });
        throw error;
      });
      queryClient.setQueryData([...keys.documents, 'document', id], document);
      return document;
    },
    { invalidates: [[...keys.documents, 'list']] },
  );

const changeLine = (
  id: string,
  { line, edit }: DocumentLine,
  body: { action: 'correct' | 'dismiss'; text?: string },
): Promise<DocumentResponse> =>
  change(id, () =>
    put(`/documents/${id}/lines`, {
      line,
      ...body,
      ...(edit && { editId: edit.editId, revision: edit.revision }),
    }),
  );
export const correctLine = (id: string, line: DocumentLine, text: string) =>
  changeLine(id, line, { action: 'correct', text });
export const dismissLine = (id: string, line: DocumentLine) =>
  changeLine(id, line, { action: 'dismiss' });
export const restoreLine = (
  id: string,
  { editId, revision }: NonNullable<DocumentLine['edit']>,
): Promise<DocumentResponse> =>
  change(id, () => remove(`/documents/${id}/lines/${editId}?revision=${revision}`));

export const decideField = (
  id: string,
  { field, decision }: DocumentFieldView,
  edit: Pick<FieldEdit, 'action' | 'value'>,
): Promise<DocumentResponse> =>
  change(id, () =>
    put(`/documents/${id}/fields/${field}`, {
      ...edit,
      ...(decision && { revision: decision.revision }),
    }),
  );
export const deleteFieldDecision = (
  id: string,
  field: DocumentFieldView['field'],
  { revision }: NonNullable<DocumentFieldView['decision']>,
): Promise<DocumentResponse> =>
  change(id, () => remove(`/documents/${id}/fields/${field}?revision=${revision}`));
