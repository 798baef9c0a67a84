/**
 * A column of a statement's rows: the types of PostgreSQL that it may have, by OID (`pg_type`), and the
 * type to which the driver parses them.
 */
export class Column<Value> {
  declare readonly value: Value;
  /** Its name in `column`. */
  readonly kind: string;
  readonly oids: readonly number[];
  constructor(kind: string, oids: readonly number[]) {
    this.kind = kind;
    this.oids = oids;
  }

  /** The same, where a value may be null. PostgreSQL does not describe this: it is a claim. */
  get orNull(): Column<Value | null> {
    return this;
  }

  /** The same, where only these values occur: a claim. */
  as<Claimed extends Value>(): Column<Claimed> {
    return this as unknown as Column<Claimed>;
  }
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The rows of a statement with these columns; one that is selected at times only is an optional member. */
export type InferRow<Schema extends Columns> = {
  readonly [Name in keyof Schema]: NonNullable<Schema[Name]>['value'];
};

/**
 * The kinds of columns, named after the types of PostgreSQL. Numbers that may exceed 2^53 and all dates
 * and times arrive as text (drizzle turns the parsers of dates off, `db/client.ts`), and so do arrays of them.
 */
export const column = {
  boolean: new Column<boolean>('boolean', [16]),
  /** Also smallint. */
  integer: new Column<number>('integer', [21, 23]),
  /** real or double precision. */
  float: new Column<number>('float', [700, 701]),
  oid: new Column<number>('oid', [26]),
  bigint: new Column<string>('bigint', [20]),
  numeric: new Column<string>('numeric', [1700]),
  /** Also varchar, char and name. */
  text: new Column<string>('text', [18, 19, 25, 1042, 1043]),
  uuid: new Column<string>('uuid', [2950]),
  bytea: new Column<Uint8Array>('bytea', [17]),
  date: new Column<string>('date', [1082]),
  time: new Column<string>('time', [1083]),
  timestamp: new Column<string>('timestamp', [1114]),
  timestamptz: new Column<string>('timestamptz', [1184]),
  interval: new Column<string>('interval', [1186]),
  xid8: new Column<string>('xid8', [5069]),
  booleanArray: new Column<boolean[]>('booleanArray', [1000]),
  integerArray: new Column<number[]>('integerArray', [1005, 1007]),
  floatArray: new Column<number[]>('floatArray', [1021, 1022]),
  bigintArray: new Column<string[]>('bigintArray', [1016]),
  textArray: new Column<string[]>('textArray', [1009, 1015]),
  uuidArray: new Column<string[]>('uuidArray', [2951]),
  /** json or jsonb that holds such a value: a claim. */
  json: <Value>() => new Column<Value>('json', [114, 3802]),
} as const;

const NAMES = new Map([
  [2278, 'void'],
  ...Object.values(column).flatMap((kind) =>
    typeof kind === 'function' ? [] : kind.oids.map((oid) => [oid, kind.kind] as const),
  ),
  [114, 'json'],
  [3802, 'json'],
]);

/** A column as PostgreSQL describes it (RowDescription). */
export type DescribedColumn = { readonly name: string; readonly type: number };

/** Throws an error that names each column that is missing, additional, twice there or of another type. */
export function verifyColumns(schema: Columns, described: readonly DescribedColumn[]): void {
  const names = new Set<string>();
  const errors: string[] = [];
  for (const { name, type } of described) {
    const expected = Object.hasOwn(schema, name) ? schema[name] : undefined;
    const found = NAMES.get(type) ?? `type ${type}`;
    if (names.has(name)) errors.push(`"${name}" is selected twice`);
    else if (!expected) errors.push(`"${name}" (${found}) is not in the schema`);
    else if (!expected.oids.includes(type)) {
      errors.push(`"${name}" is ${found}, expected ${expected.kind}`);
    }
    names.add(name);
  }
  for (const [name, { kind }] of Object.entries(schema)) {
    if (!names.has(name)) errors.push(`"${name}" (${kind}) is not selected`);
  }
  if (errors.length > 0) throw new Error(`Columns differ from their schema: ${errors.join('; ')}`);
}
