import { expect, test } from 'bun:test';
import { sql, type SQL } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database.ts';
import { connect } from './address.ts';
import { column, type Columns } from './columns.ts';
import { prepareQuery, queryPrepared, queryRows } from './query.ts';

const database = await useDatabase();

/** Returns the error of a statement, whichever way it is run. */
async function getError(columns: Columns, query: SQL): Promise<string> {
  const { db } = database;
  const runs = [
    () => queryRows(db, columns, query),
    () => queryPrepared(db, columns, query),
    () => prepareQuery(columns, query)(db),
  ];
  const errors = await Promise.all(
    runs.map((run) =>
      run().then(
        () => 'none',
        (error: Error) => error.message,
      ),
    ),
  );
  expect(new Set(errors).size).toBe(1);
  return errors[0]!;
}

const PREFIX = 'Columns differ from their schema: ';

test('a column of another type is an error that names both types', async () => {
  expect(await getError({ count: column.integer }, sql`select count(*) as count`)).toBe(
    `${PREFIX}"count" is bigint, expected integer`,
  );
  expect(await getError({ at: column.text }, sql`select now() as at`)).toBe(
    `${PREFIX}"at" is timestamptz, expected text`,
  );
  expect(await getError({ ids: column.json<string[]>() }, sql`select '{}'::uuid[] as ids`)).toBe(
    `${PREFIX}"ids" is uuidArray, expected json`,
  );
});

test('a column that is not selected is an error', async () => {
  expect(await getError({ id: column.uuid, name: column.text }, sql`select 'a' as name`)).toBe(
    `${PREFIX}"id" (uuid) is not selected`,
  );
});

test('a column that is not in the schema is an error', async () => {
  expect(await getError({ a: column.integer }, sql`select 1 as a, 2 as b`)).toBe(
    `${PREFIX}"b" (integer) is not in the schema`,
  );
  expect(await getError({}, sql`select 1 as constructor`)).toBe(
    `${PREFIX}"constructor" (integer) is not in the schema`,
  );
});

test('a column that is selected twice is an error', async () => {
  expect(await getError({ a: column.integer }, sql`select 1 as a, 2 as a`)).toBe(
    `${PREFIX}"a" is selected twice`,
  );
});

test('a statement without rows is compared too', async () => {
  expect(await getError({ a: column.text }, sql`select 1 as a where false`)).toBe(
    `${PREFIX}"a" is integer, expected text`,
  );
  expect(await getError({ a: column.text }, sql`set local work_mem = '4MB'`)).toBe(
    `${PREFIX}"a" (text) is not selected`,
  );
});

test('all differences are told at once', async () => {
  expect(await getError({ a: column.text, b: column.uuid }, sql`select 1 as a, 2 as c`)).toBe(
    `${PREFIX}"a" is integer, expected text; "c" (integer) is not in the schema; "b" (uuid) is not selected`,
  );
});

test('a statement that is executed again is compared again', async () => {
  const query = sql`select 1 as again`;
  for (let i = 0; i < 3; i++) expect(await getError({ again: column.integer }, query)).toBe('none');
  expect(await getError({ again: column.text }, query)).toBe(
    `${PREFIX}"again" is integer, expected text`,
  );
});

// The type that each kind claims is that of the value that the driver returns.
const VALUES = {
  boolean: [sql`true`, true],
  integer: [sql`1`, 1],
  float: [sql`1.5::float8`, 1.5],
  oid: [sql`1::oid`, 1],
  bigint: [sql`1::bigint`, '1'],
  numeric: [sql`1.5`, '1.5'],
  text: [sql`'a'::text`, 'a'],
  uuid: [sql`'00000000-0000-0000-0000-000000000001'::uuid`, '00000000-0000-0000-0000-000000000001'],
  bytea: [sql`'\\x01'::bytea`, Buffer.from([1])],
  date: [sql`'2026-01-02'::date`, '2026-01-02'],
  time: [sql`'03:04:05'::time`, '03:04:05'],
  timestamp: [sql`'2026-01-02 03:04:05'::timestamp`, '2026-01-02 03:04:05'],
  timestamptz: [sql`'2026-01-02 03:04:05Z'::timestamptz`, '2026-01-02 03:04:05+00'],
  interval: [sql`'1 day'::interval`, '1 day'],
  xid8: [sql`'1'::xid8`, '1'],
  booleanArray: [sql`array[true]`, [true]],
  integerArray: [sql`array[1]`, [1]],
  floatArray: [sql`array[1.5::float8]`, [1.5]],
  bigintArray: [sql`array[1::bigint]`, ['1']],
  textArray: [sql`array['a']`, ['a']],
  uuidArray: [
    sql`array['00000000-0000-0000-0000-000000000001'::uuid]`,
    ['00000000-0000-0000-0000-000000000001'],
  ],
  json: [sql`'{"a": 1}'::jsonb`, { a: 1 }],
} satisfies Record<keyof typeof column, readonly [SQL, unknown]>;

for (const [name, [value, expected]] of Object.entries(VALUES)) {
  test(`${name} is returned as the type that it claims`, async () => {
    const kinds = { ...column, json: column.json() };
    const columns = { value: kinds[name as keyof typeof kinds] };
    const rows = await queryRows(database.db, columns, sql`select ${value} as value`);
    expect<unknown>(rows).toEqual([{ value: expected }]);
  });
}

test('a statement that fails after its first rows leaves the next answer of its connection whole', async () => {
  const connection = connect(database.deps.settings.databaseUrl!, { max: 1 });
  const failing = connection`select 1 / (2 - n) as n from generate_series(1, 3) n`.execute();
  await expect(failing).rejects.toThrow('division by zero');
  const next = await connection`select 7 as n`;
  await connection.end();
  expect([...next]).toEqual([{ n: 7 }]);
});
