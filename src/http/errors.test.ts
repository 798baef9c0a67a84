import { expect, test } from 'bun:test';
import { Elysia, t } from 'elysia';
import { silentLog } from '../core/log.ts';
import { createOnError } from './errors.ts';
import { oneOf, QueryFlag } from './schemas.ts';

const many = Array.from({ length: 50 }, (_, at) => `w${at}`) as [string, ...string[]];
const app = new Elysia().onError(createOnError(silentLog)).get('/', () => 'ok', {
  query: t.Object({
    size: t.Optional(oneOf(['small', 'large'])),
    word: t.Optional(oneOf(many)),
    flag: QueryFlag,
    count: t.Optional(t.Integer({ minimum: 1 })),
    name: t.Optional(t.String({ maxLength: 3 })),
  }),
});

async function messageFor(query: string) {
  const response = await app.handle(new Request(`http://localhost/?${query}`));
  const body = (await response.json()) as { errors: { path: unknown; message: string }[] };
  return [response.status, ...body.errors.flatMap(({ path, message }) => [path, message])];
}

test('a refusal says what is wanted, not which kind of schema wants it', async () => {
  expect(await messageFor('size=huge')).toEqual([400, ['size'], 'Must be one of small, large']);
  expect(await messageFor('word=x')).toEqual([400, ['word'], 'Not one of the known values']);
  expect(await messageFor('flag=maybe')).toEqual([400, ['flag'], 'Expected boolean']);
  expect(await messageFor('count=1.5')).toEqual([400, ['count'], 'Expected integer']);
  const [status, path, message] = await messageFor('name=long');
  expect([status, path]).toEqual([400, ['name']]);
  expect(message).toContain('length');
});
