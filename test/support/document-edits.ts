import type { App } from '../../src/app.ts';
import { call, type Caller } from './harness.ts';

/** An invoice as a model reads it, line by line. */
export const INVOICE = [
  'Acme Tools GmbH',
  'Rechnung',
  'Rechnungsnummer: RE-2024-01',
  'Datum: 12.03.2024',
  'Gesamtbetrag 120,00 EUR',
];

/** Requests on the fields and lines of `id`, as its owner unless another caller or id is given. */
export const documentEdits = (get: () => { app: App; owner: Caller; id: string }) => ({
  decide: (field: string, body: object, caller = get().owner, id = get().id) =>
    call(get().app, `PUT /documents/${id}/fields/${field}`, { ...caller, body }),
  forget: (field: string, query: string, caller = get().owner, id = get().id) =>
    call(get().app, `DELETE /documents/${id}/fields/${field}${query}`, caller),
  edit: (body: object, caller = get().owner, id = get().id) =>
    call(get().app, `PUT /documents/${id}/lines`, { ...caller, body }),
  undo: (editId: string, query: string, caller = get().owner, id = get().id) =>
    call(get().app, `DELETE /documents/${id}/lines/${editId}${query}`, caller),
});
