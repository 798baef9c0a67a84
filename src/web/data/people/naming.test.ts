import { expect, test } from 'bun:test';
import { readToast, startPageServer, undoLast } from '../../../../test/support/page-server.ts';
import { fetchUnnamed, giveName } from './naming.ts';
import type { Person } from './people-data.ts';

const server = startPageServer();
const person = (id: string, name = ''): Person => ({ id, name }) as Person;

test('all who have no name are asked about, also those beyond the first page', async () => {
  server.answer('GET /people', ({ query }) =>
    query.get('page') === '1'
      ? { people: [person('a', 'Anna'), person('b')], hasNextPage: true }
      : { people: [person('c')], hasNextPage: false },
  );
  expect((await fetchUnnamed()).map(({ id }) => id)).toEqual(['b', 'c']);
});

test('a new name can be taken back', async () => {
  server.answer('PUT /people/b', () => person('b'));
  let back = 0;
  expect(await giveName(person('b'), 'Ben', () => back++)).toBe(true);
  expect(readToast()).toMatchObject({ text: 'This is Ben' });
  await undoLast();
  expect(server.listBodies('PUT /people/b')).toEqual([{ name: 'Ben' }, { name: '' }]);
  expect(back).toBe(1);
});

test('who is somebody known becomes one with them, and the merge can be taken back', async () => {
  server.answer('POST /people/merge', () => []);
  server.answer('GET /people/a/corrections', () => ({
    items: [{ id: 'one', kind: 'merge', canUndo: true }],
  }));
  server.answer('POST /people/corrections/one/undo', () => ({}));
  expect(await giveName(person('b'), person('a', 'Anna'), () => {})).toBe(true);
  expect(server.listBodies('POST /people/merge')).toEqual([{ ids: ['a', 'b'] }]);
  await undoLast();
  expect(server.listChanges().at(-1)).toBe('POST /people/corrections/one/undo');
});

test('a name that is refused asks again', async () => {
  expect(await giveName(person('b'), 'Ben', () => {})).toBe(false);
  expect(readToast()).toMatchObject({ kind: 'error' });
});
