import { expect, test } from 'bun:test';
import { refusal, show, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import {
  correctLine,
  decideField,
  deleteFieldDecision,
  dismissLine,
  type DocumentFieldView,
  type DocumentLine,
  fetchDocuments,
  restoreLine,
} from './document-data.ts';
import { documentQuery, documentsQuery } from './queries.ts';

const server = startPageServer();
const LINES = '/documents/bill/lines';
const line = (edit?: object) => ({ line: 4, text: 'Totl', edit }) as unknown as DocumentLine;
const field = (decision?: object) =>
  ({ field: 'total-amount', decision }) as unknown as DocumentFieldView;
const readShown = (): unknown => queryClient.getQueryData([...documentQuery('bill').queryKey]);

test('the list is asked for with words, or without', async () => {
  const asked: string[] = [];
  server.answer('GET /documents', ({ query }) => {
    asked.push(query.toString());
    return { items: [] };
  });
  await fetchDocuments('', 1);
  await queryClient.fetchQuery(documentsQuery('rent', 2));
  expect(asked).toEqual(['page=1', 'page=2&query=rent']);
});

test('a corrected line replaces the document, and the lists are read again', async () => {
  const list = await show([...keys.documents, 'list', { words: '', page: 1 }]);
  server.answer(`PUT ${LINES}`, () => ({ id: 'bill', lines: ['Total'] }));
  await correctLine('bill', line(), 'Total');
  expect(server.listBodies(`PUT ${LINES}`)).toEqual([
    { line: 4, action: 'correct', text: 'Total' },
  ]);
  expect(readShown()).toEqual({ id: 'bill', lines: ['Total'] });
  await until(() => list.fetches === 2);
  list.hide();
});

test('a line that was edited before is changed by its revision only', async () => {
  server.answer(`PUT ${LINES}`, () => ({ id: 'bill' }));
  await dismissLine('bill', line({ editId: 'e', revision: 3 }));
  expect(server.listBodies(`PUT ${LINES}`)).toEqual([
    { line: 4, action: 'dismiss', editId: 'e', revision: 3 },
  ]);
});

test('a refusal reads the document again, because somebody else has changed it', async () => {
  const shown = await show(documentQuery('bill').queryKey);
  server.answer(`PUT ${LINES}`, () => refusal(409, { code: 'stale_revision' }));
  const error = await correctLine('bill', line({ editId: 'e', revision: 1 }), 'x').catch(
    (refused: { code?: string }) => refused.code,
  );
  expect(error).toBe('stale_revision');
  await until(() => shown.fetches === 2);
  shown.hide();
});

test('an edit and a decision are taken back by their revision', async () => {
  server.answer(`DELETE ${LINES}/e`, ({ query }) => ({ revision: query.get('revision') }));
  await restoreLine('bill', { editId: 'e', revision: 5 } as NonNullable<DocumentLine['edit']>);
  expect(readShown()).toEqual({ revision: '5' });
  server.answer('DELETE /documents/bill/fields/total-amount', ({ query }) => ({
    revision: query.get('revision'),
  }));
  await deleteFieldDecision('bill', 'total-amount', { revision: 6 } as NonNullable<
    DocumentFieldView['decision']
  >);
  expect(readShown()).toEqual({ revision: '6' });
});

test('a field is decided for the first time, or by the revision of the decision before', async () => {
  const route = 'PUT /documents/bill/fields/total-amount';
  server.answer(route, () => ({ id: 'bill' }));
  await decideField('bill', field(), { action: 'correct', value: '12 €' } as never);
  await decideField('bill', field({ revision: 2 }), { action: 'reject' } as never);
  expect(server.listBodies(route)).toEqual([
    { action: 'correct', value: '12 €' },
    { action: 'reject', revision: 2 },
  ]);
});
