import { expect, test } from 'bun:test';
import { show, startPageServer } from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import {
  deleteVerdict,
  fetchFirstPeople,
  getIgnored,
  mergePeople,
  putVerdict,
  type Suggestion,
  undoLastCorrection,
} from './people-data.ts';

const server = startPageServer();
const person = (id: string, name = '') => ({ id, name });
const pair = (first: object, second: object) => ({ first, second }) as Suggestion;

test('people of several pages are joined, and one that has moved between them is there once', async () => {
  const asked: string[] = [];
  server.answer('GET /people', ({ query }) => {
    asked.push(`${query.get('page')}/${query.get('size')}`);
    const isFirst = query.get('page') === '1';
    return {
      total: 3,
      people: isFirst ? [person('a'), person('b', 'old')] : [person('b', 'new'), person('c')],
    };
  });
  const { people } = await fetchFirstPeople(2000, false);
  expect(asked.toSorted()).toEqual(['1/1000', '2/1000']);
  expect(people.map(({ id, name }) => id + name)).toEqual(['a', 'bnew', 'c']);
});

test('few people are one request of as many', async () => {
  server.answer('GET /people', ({ query }) => ({ total: 0, people: [], size: query.get('size') }));
  expect(await fetchFirstPeople(50, true)).toMatchObject({ size: '50' });
  expect(server.listRequests()).toEqual(['GET /people']);
});

test('the one without a name is ignored, and of two alike the second', () => {
  const [ada, stranger] = [person('ada', 'Ada'), person('x')];
  expect(getIgnored(pair(ada, stranger)).id).toBe('x');
  expect(getIgnored(pair(stranger, ada)).id).toBe('x');
  expect(getIgnored(pair(stranger, person('y'))).id).toBe('y');
});

test('a verdict names whom it is about only where that is one of the two, and is deleted by the same', async () => {
  const both = pair(person('ada', 'Ada'), person('x'));
  server.answer('PUT /people/merge-suggestions/verdicts', () => ({}));
  server.answer('DELETE /people/merge-suggestions/verdicts', () => undefined);
  await putVerdict(both, 'different' as never);
  await putVerdict(both, 'ignore');
  await deleteVerdict(both, 'ignore');
  const ids = { firstPersonId: 'ada', secondPersonId: 'x' };
  expect(server.listBodies('PUT /people/merge-suggestions/verdicts')).toEqual([
    { verdict: 'different', ...ids },
    { verdict: 'ignore', ...ids, personId: 'x' },
  ]);
  expect(server.listBodies('DELETE /people/merge-suggestions/verdicts')).toEqual([
    { firstPersonId: 'x', secondPersonId: 'x' },
  ]);
});

test('people who are merged change faces and results, not the timeline', async () => {
  const shown = await Promise.all([keys.people, keys.faces, keys.results, keys.timeline].map(show));
  server.answer('POST /people/merge', () => ({}));
  await mergePeople(['a', 'b']);
  expect(shown.map(({ fetches }) => fetches)).toEqual([2, 2, 2, 1]);
  for (const { hide } of shown) hide();
});

test('the newest decision of a kind that can be undone is undone', async () => {
  const items = [
    { id: '1', kind: 'merge', canUndo: true },
    { id: '2', kind: 'name', canUndo: false },
    { id: '3', kind: 'name', canUndo: true },
    { id: '4', kind: 'name', canUndo: true },
  ];
  server.answer('GET /people/ada/corrections', () => ({ items }));
  server.answer('POST /people/corrections/3/undo', () => items[2]);
  await undoLastCorrection('ada', 'name' as never);
  expect(server.listChanges()).toEqual(['POST /people/corrections/3/undo']);
  await expect(undoLastCorrection('ada', 'hide' as never)).rejects.toThrow(
    'This can no longer be undone.',
  );
});
