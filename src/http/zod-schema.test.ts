import { describe, expect, test } from 'bun:test';
import { t, type TSchema } from 'elysia';
import { BoundingBox, Email, InputTimestamp, LocalTimestamp, stringEnum, Uuid } from './schemas.ts';
import { toZod } from './zod-schema.ts';

const JSON_BODY = { from: 'json', refusesUnknown: true } as const;
const TEXT = { from: 'text', refusesUnknown: false } as const;

const listMessages = (schema: TSchema, value: unknown, reading: typeof JSON_BODY | typeof TEXT) =>
  toZod(schema, reading)
    .safeParse(value)
    .error?.issues.map(({ code, path, message }) => [code, path.join('.'), message]) ?? [];

describe('errors of a body have the texts of Immich', () => {
  const NAME = t.Object({ name: t.String({ minLength: 1, maxLength: 3 }) });
  const EDGES = 'numbers: west,south,east,north';
  const DATE = 'Invalid input: expected ISO 8601 datetime string, received';
  const cases: readonly [TSchema, unknown, string, string, string][] = [
    [Uuid, 'x', 'invalid_format', '', 'Invalid UUID'],
    [Uuid, 1, 'invalid_type', '', 'Invalid input: expected string, received number'],
    [t.Boolean(), 1, 'invalid_type', '', 'Invalid input: expected boolean, received number'],
    [t.Boolean(), 'true', 'invalid_type', '', 'Invalid input: expected boolean, received string'],
    [t.Number(), '1', 'invalid_type', '', 'Invalid input: expected number, received string'],
    [t.Integer(), '1', 'invalid_type', '', 'Invalid input: expected number, received string'],
    [t.Integer(), 1.5, 'invalid_type', '', 'Invalid input: expected int, received number'],
    [t.Integer(), 2 ** 53, 'too_big', '', 'Too big: expected int to be <=9007199254740991'],
    [t.Integer({ minimum: 1 }), 0, 'too_small', '', 'Too small: expected number to be >=1'],
    [t.Integer({ maximum: 5 }), 6, 'too_big', '', 'Too big: expected number to be <=5'],
    [NAME, undefined, 'invalid_type', '', 'Invalid input: expected object, received undefined'],
    [NAME, [], 'invalid_type', '', 'Invalid input: expected object, received array'],
    [NAME, {}, 'invalid_type', 'name', 'Invalid input: expected string, received undefined'],
    [NAME, { name: '' }, 'too_small', 'name', 'Too small: expected string to have >=1 characters'],
    [NAME, { name: 'long' }, 'too_big', 'name', 'Too big: expected string to have <=3 characters'],
    [NAME, { name: 'a', x: 1 }, 'unrecognized_keys', '', 'Unrecognized key: "x"'],
    [stringEnum(['a', 'b']), 'c', 'invalid_value', '', 'Invalid option: expected one of "a"|"b"'],
    [stringEnum(['a']), 'c', 'invalid_value', '', 'Invalid input: expected "a"'],
    [t.Array(Uuid), 'x', 'invalid_type', '', 'Invalid input: expected array, received string'],
    [t.Array(Uuid), ['x'], 'invalid_format', '0', 'Invalid UUID'],
    [
      t.Array(Uuid, { minItems: 1 }),
      [],
      'too_small',
      '',
      'Too small: expected array to have >=1 items',
    ],
    [
      t.Array(Uuid, { maxItems: 1 }),
      ['x', 'y'],
      'too_big',
      '',
      'Too big: expected array to have <=1 items',
    ],
    [
      t.Nullable(t.Boolean()),
      1,
      'invalid_type',
      '',
      'Invalid input: expected boolean, received number',
    ],
    [t.Union([t.Boolean(), t.Number()]), 'x', 'invalid_union', '', 'Invalid input'],
    [
      t.String({ pattern: '^a$' }),
      'b',
      'invalid_format',
      '',
      'Invalid string: must match pattern /^a$/',
    ],
    [
      t.Record(t.String(), t.Unknown()),
      [],
      'invalid_type',
      '',
      'Invalid input: expected record, received array',
    ],
    [InputTimestamp, '2024-02-30T00:00:00Z', 'invalid_format', '', `${DATE} string`],
    [InputTimestamp, '2024-02-03T00:00:00', 'invalid_format', '', `${DATE} string`],
    [LocalTimestamp, '2023-02-29T00:00:00', 'invalid_format', '', `${DATE} string`],
    [InputTimestamp, 5, 'invalid_type', '', `${DATE} number`],
    [InputTimestamp, null, 'invalid_type', '', `${DATE} object`],
    [Email, null, 'invalid_type', '', 'Invalid input: expected email, received object'],
    [Email, [], 'invalid_type', '', 'Invalid input: expected email, received object'],
    [t.String(), null, 'invalid_type', '', 'Invalid input: expected string, received null'],
    [
      t.String({ format: 'date' }),
      '2023-02-29',
      'invalid_format',
      '',
      'Invalid input: expected ISO date string (YYYY-MM-DD), received string',
    ],
    [BoundingBox, '1,2,3', 'invalid_format', '', `bbox must have 4 comma-separated ${EDGES}`],
    [BoundingBox, '', 'invalid_format', '', `bbox must have 4 comma-separated ${EDGES}`],
    [BoundingBox, '1,2,3,x', 'invalid_format', '', 'bbox parts must be valid numbers'],
    [BoundingBox, '1,2,3,', 'invalid_format', '', 'bbox parts must be valid numbers'],
    [Email, 'x', 'invalid_format', '', 'Invalid input: expected email, received string'],
    [
      t.String({ format: 'uuid' }),
      '00000000-0000-9000-8000-000000000000',
      'invalid_format',
      '',
      'Invalid UUID',
    ],
  ];
  for (const [schema, value, code, path, message] of cases) {
    test(`${JSON.stringify(value)}: ${message}`, () => {
      expect(listMessages(schema, value, JSON_BODY)).toEqual([[code, path, message]]);
    });
  }
});

describe('a body is taken as it is', () => {
  const schema = t.Object({
    a: t.Optional(t.Nullable(t.Integer())),
    b: t.Optional(t.Integer({ default: 7 })),
    c: t.Optional(t.Object({ x: t.Optional(t.Boolean()) })),
  });
  const read = toZod(schema, { from: 'json', refusesUnknown: false });

  test('omitted members get defaults, null stays null, unknown members are removed', () => {
    expect(read.parse({})).toEqual({ b: 7 });
    expect(read.parse({ a: null, b: 1, c: { x: true, y: 1 }, z: 1 })).toEqual({
      a: null,
      b: 1,
      c: { x: true },
    });
  });

  test('no value is coerced to an object, a number or a boolean', () => {
    for (const c of ['{}', '', 5, [], true, null, '{"x":true}']) {
      expect(read.safeParse({ c }).success).toBe(false);
    }
    for (const x of ['true', 1, 'false', null])
      expect(read.safeParse({ c: { x } }).success).toBe(false);
    for (const a of ['1', '', true, [1], {}]) expect(read.safeParse({ a }).success).toBe(false);
  });

  test('a list that is too long is not validated to its end', () => {
    const long = Array.from({ length: 100 }, () => 'no id');
    expect(listMessages(t.Array(Uuid, { maxItems: 99 }), long, JSON_BODY)).toHaveLength(1);
  });
});

describe('a query spells numbers, flags and lists in one way', () => {
  const read = (schema: TSchema, value: unknown) => toZod(schema, TEXT).safeParse(value);

  test('numbers are decimal numerals without decoration', () => {
    for (const [text, number] of [
      ['0', 0],
      ['-1', -1],
      ['12', 12],
    ] as const) {
      expect(read(t.Integer(), text).data).toBe(number);
    }
    expect(read(t.Number(), '1.25').data).toBe(1.25);
    for (const text of [
      '1e2',
      '0x10',
      ' 1',
      '1 ',
      '+1',
      '01',
      '',
      '.5',
      '1.',
      'NaN',
      'Infinity',
      '1_0',
      '١',
    ]) {
      expect([text, listMessages(t.Number(), text, TEXT)]).toEqual([
        text,
        [['invalid_type', '', 'Invalid input: expected number, received NaN']],
      ]);
    }
    expect(read(t.Integer(), '1.5').success).toBe(false);
    expect(read(t.Integer(), '9007199254740993').success).toBe(false);
  });

  test('flags are true or false', () => {
    expect(read(t.Boolean(), 'true').data).toBe(true);
    expect(read(t.Boolean(), 'false').data).toBe(false);
    for (const text of ['1', '0', 'TRUE', 'yes', '']) {
      expect(listMessages(t.Boolean(), text, TEXT)).toEqual([
        ['invalid_value', '', 'Invalid option: expected one of "true"|"false"'],
      ]);
    }
  });

  test('a list is given by its name once or often; anything else only once', () => {
    expect(read(t.Array(t.Integer()), '1').data).toEqual([1]);
    expect(read(t.Array(t.Integer()), ['1', '2']).data).toEqual([1, 2]);
    expect(read(t.String(), ['a', 'b']).success).toBe(false);
  });
});
