import { expect, test } from 'bun:test';
import { Elysia, t } from 'elysia';
import { silentLog } from '../core/log.ts';
import { createOnError } from './errors.ts';
import { oneOf, QueryFlag } from './schemas.ts';

const many = Array.from({ length: 50 }, (_, at) => `w${at}`) as [string, ...string[]];
const query = t.Object({
  size: t.Optional(oneOf(['small', 'large'])),
  word: t.Optional(oneOf(many)),
  flag: QueryFlag,
  count: t.Optional(t.Integer({ minimum: 1 })),
  name: t.Optional(t.String({ maxLength: 3 })),
});
const body = t.Object({
  rating: t.Optional(t.Nullable(t.Integer({ minimum: 1, maximum: 5 }))),
  slug: t.Optional(t.Nullable(t.String({ pattern: '^[a-z]+$' }))),
  label: t.Optional(t.Nullable(t.String({ maxLength: 3 }))),
  color: t.Optional(t.Nullable(oneOf(['red', 'blue']))),
});
const app = new Elysia()
  .onError(createOnError(silentLog))
  .get('/', () => 'ok', { query })
  .post('/', () => 'ok', { body });

async function refusalOf(request: Request) {
  const response = await app.handle(request);
  const { errors } = (await response.json()) as { errors: { path: unknown; message: string }[] };
  return [response.status, ...errors.flatMap(({ path, message }) => [path, message])];
}
const ofQuery = (text: string) => refusalOf(new Request(`http://localhost/?${text}`));
const ofBody = (value: object) =>
  refusalOf(
    new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    }),
  );

test('a refusal says what is wanted, not which kind of schema wants it', async () => {
  expect(await ofQuery('size=huge')).toEqual([400, ['size'], 'Must be one of small, large']);
  expect(await ofQuery('word=x')).toEqual([400, ['word'], 'Not one of the known values']);
  expect(await ofQuery('flag=maybe')).toEqual([400, ['flag'], 'Expected boolean']);
  expect(await ofQuery('count=1.5')).toEqual([400, ['count'], 'Expected integer from 1']);
  expect((await ofQuery('name=long'))[2]).toContain('length');
  expect(await ofBody({ rating: 6 })).toEqual([400, ['rating'], 'Expected integer from 1 to 5']);
  const pattern = "Expected string to match '^[a-z]+$'";
  expect(await ofBody({ slug: 'A' })).toEqual([400, ['slug'], pattern]);
  const length = 'Expected string of at most 3 characters';
  expect(await ofBody({ label: 'long' })).toEqual([400, ['label'], length]);
  expect(await ofBody({ color: 'x' })).toEqual([400, ['color'], 'Must be one of red, blue']);
});
