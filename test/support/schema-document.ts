import type { Sql } from 'postgres';
import { migrations } from '../../migrations/index.ts';

type Table = {
  readonly name: string;
  readonly comment: string;
  /** Comments by column. */
  readonly columns: ReadonlyMap<string, string>;
};
type Subject = {
  readonly file: string;
  readonly comment: string;
  readonly tables: readonly Table[];
};

const toText = (comments: readonly string[]) => comments.join(' ').trim();
const isComment = (line: string) => line.startsWith('--');
const textOfComment = (line: string) => line.replace(/^--\s*/, '');

/** Returns the comment lines that end just before line `at`. */
function commentBefore(lines: readonly string[], at: number): string {
  let first = at;
  while (first > 0 && isComment(lines[first - 1]!)) first -= 1;
  return toText(lines.slice(first, at).map(textOfComment));
}

/** Reads the comments of the columns: lines before a definition, and at the end of its lines. */
function parseColumns(lines: readonly string[]): Map<string, string> {
  const columns = new Map<string, string>();
  let comments: string[] = [];
  let name: string | undefined;
  let depth = 0;
  for (const line of lines) {
    const [, code, comment] = /^(.*?)(?:--\s*(.*))?$/.exec(line.trim())!;
    if (comment) comments.push(comment);
    if (!code) continue;
    name ??= /^\w+/.exec(code)![0];
    depth += (code.match(/\(/g)?.length ?? 0) - (code.match(/\)/g)?.length ?? 0);
    if (depth > 0 || !(code.trim().endsWith(',') || line === lines.at(-1))) continue;
    columns.set(name, toText(comments));
    [comments, name] = [[], undefined];
  }
  return columns;
}

/** Returns the tables that a migration has dropped. */
const listDropped = (): string[] =>
  migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^drop table ([^;]+);/gm)].flatMap(([, names]) => names!.split(', ')),
  );

/** Reads the subjects and tables of the migrations with their comments, without tables that were dropped. */
function parseMigrations(): Subject[] {
  const dropped = new Set(listDropped());
  const subjects = migrations.map(({ name: file, sql }) => {
    const lines = sql.split('\n');
    const tables = lines.flatMap((line, at) => {
      const name = /^create (?:unlogged )?table (\w+) \($/.exec(line)?.[1];
      if (!name || dropped.has(name)) return [];
      const columns = parseColumns(lines.slice(at + 1, lines.indexOf(');', at)));
      return [{ name, comment: commentBefore(lines, at), columns }];
    });
    const end = lines.findIndex((line) => !isComment(line));
    return { file, comment: commentBefore(lines, end), tables };
  });
  for (const { sql } of migrations) {
    for (const [, name, column, comment = ''] of sql.matchAll(ADDED_COLUMN)) {
      const table = subjects.flatMap(({ tables }) => tables).find((one) => one.name === name);
      table?.columns.set(column!, comment);
    }
  }
  return subjects;
}

/** Returns the names of all tables. */
export const listTables = (): string[] =>
  parseMigrations().flatMap(({ tables }) => tables.map(({ name }) => name));

/** Table, column and comment of a column that a later migration adds. */
const ADDED_COLUMN = /^alter table (\w+) add column (\w+) [^;]*;(?: *-- (.*))?$/gm;

type ColumnRow = { table: string; name: string; type: string; null: string; default: string };
type KeyRow = { table: string; columns: string[]; key: string };

const listColumns = (sql: Sql) => sql<ColumnRow[]>`
  select relname as table, attname as name,
    replace(replace(replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz'),
      'timestamp without time zone', 'timestamp'), 'double precision', 'float8') as type,
    case when attnotnull then '' else 'null' end as null,
    case when attidentity <> '' then 'identity' when attgenerated <> '' then 'generated'
      else regexp_replace(coalesce(pg_get_expr(adbin, adrelid), ''), '::[a-z0-9]+([[][]])?$', '') end
      as default
  from pg_class join pg_attribute on attrelid = pg_class.oid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
  order by relname, attnum`;

/** Primary, unique and foreign keys. */
const listKeys = (sql: Sql) => sql<KeyRow[]>`
  select conrelid::regclass::text as table,
    (select array_agg(attname::text order by array_position(conkey, attnum)) from pg_attribute
      where attrelid = conrelid and attnum = any(conkey)) as columns,
    case contype when 'p' then 'primary key' when 'u' then 'unique'
      else '→ ' || confrelid::regclass || case confdeltype when 'c' then ', cascades'
        when 'n' then ', set null' else '' end end as key
  from pg_constraint
  where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f')
  order by array_position(array['p', 'u', 'f'], contype::text), conname`;

type TriggerRow = {
  table: string;
  fires: string;
  condition: string;
  function: string;
  call: string;
};

/** The triggers of each table and function, of all events as one. */
const listTriggers = (sql: Sql) => sql<TriggerRow[]>`
  select tgrelid::regclass::text as table, proname as function,
    proname || '(' || trim(both ', ' from replace(encode(tgargs, 'escape'), '\\000', ', ')) || ')' as call,
    case when tgtype & 2 > 0 then 'before ' else 'after ' end || string_agg(
      concat_ws(', ', case when tgtype & 4 > 0 then 'insert' end, case when tgtype & 16 > 0 then 'update' end,
        case when tgtype & 8 > 0 then 'delete' end), ', ' order by tgtype & 8, tgtype & 16) ||
      case when tgtype & 1 > 0 then ', each row' else '' end as fires,
    coalesce(case when count(*) = 1
      then min(substring(pg_get_triggerdef(pg_trigger.oid) from 'WHEN \\((.*)\\) EXECUTE')) end, '') as condition
  from pg_trigger join pg_proc on pg_proc.oid = tgfoid
  where not tgisinternal
  group by tgrelid, proname, tgargs, tgtype & 1, tgtype & 2 order by 1, 2, 3`;

type FunctionRow = { name: string; returns: string; body: string };

const listFunctions = (sql: Sql) => sql<FunctionRow[]>`
  select proname as name, format_type(prorettype, null) as returns,
    regexp_replace(prosrc, '--[^\n]*', '', 'g') as body
  from pg_proc where pronamespace = 'public'::regnamespace and probin is null order by proname`;

/** Returns the sections of all triggers and of all functions, each with its callers. */
async function describeFunctions(sql: Sql, tables: ReadonlySet<string>): Promise<string[]> {
  const triggers = await listTriggers(sql);
  const functions = await listFunctions(sql);
  const names = new Set(functions.map(({ name }) => name));
  const calls = new Map(
    functions.map(({ name, body }) => {
      const called = [...body.matchAll(/\b(\w+)\(/g)].map(([, callee]) => callee!);
      return [name, called.filter((callee) => callee !== name && names.has(callee))];
    }),
  );
  const bodies = new Map(functions.map(({ name, body }) => [name, body]));
  const collectWrites = (name: string, seen: Set<string>): string[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const body = bodies.get(name)!;
    const written = [...body.matchAll(/\b(?:insert into|update|delete from) (\w+)/g)];
    return [
      ...written.map(([, table]) => table!).filter((table) => tables.has(table)),
      ...(/\bpg_notify\(/.test(body) ? ['notification'] : []),
      ...(/\bnew\.\w+ :=|into new\./.test(body) ? ['the row'] : []),
      ...calls.get(name)!.flatMap((callee) => collectWrites(callee, seen)),
    ];
  };
  const listWrites = (name: string) => [...new Set(collectWrites(name, new Set()))].sort();
  const listCallers = (name: string) => [
    ...new Set(
      triggers.filter((one) => one.function === name).map((one) => `trigger on ${code(one.table)}`),
    ),
    ...functions.filter((one) => calls.get(one.name)!.includes(name)).map((one) => code(one.name)),
  ];
  return [
    '## Triggers',
    'All triggers of the database. Several events of a table that call the same function stand in one row.',
    toTable(
      ['on', 'fires', 'calls', 'when', 'writes'],
      triggers.map((one) => [
        code(one.table),
        one.fires,
        code(one.call),
        code(one.condition),
        listWrites(one.function).join(', '),
      ]),
    ),
    '## Functions',
    'All functions of the database, without those of extensions. Statements of the server, indexes and migrations call those without a caller here.',
    toTable(
      ['function', 'returns', 'called by'],
      functions.map((one) => [code(one.name), one.returns, listCallers(one.name).join(', ')]),
    ),
  ];
}

/** Returns a Markdown table with aligned columns, as the formatter writes it. */
function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at]!.length)));
  const lines = cells.map((row) => `| ${row.map((c, at) => c.padEnd(widths[at]!)).join(' | ')} |`);
  return [lines[0], `| ${widths.map((n) => '-'.repeat(n)).join(' | ')} |`, ...lines.slice(1)].join(
    '\n',
  );
}

const code = (text: string) => (text ? `\`${text}\`` : '');

/**
 * Returns migrations/README.md: tables by subject with their comments, columns and keys, then all triggers and functions.
 * Comments come from the migrations, all else from the migrated database.
 */
export async function describeSchema(sql: Sql): Promise<string> {
  const subjects = parseMigrations();
  const tables = new Set(listTables());
  const [columns, keys] = [await listColumns(sql), await listKeys(sql)];

  const describeTable = ({ name, comment, columns: comments }: Table) => {
    const own = keys.filter(({ table }) => table === name);
    const getKeys = (column: string) =>
      own
        .filter((key) => key.columns.length === 1 && key.columns[0] === column)
        .map(({ key }) => key);
    const rows = columns
      .filter(({ table }) => table === name)
      .map((column) => [
        code(column.name),
        column.type,
        column.null,
        code(column.default),
        getKeys(column.name).join('; '),
        comments.get(column.name) ?? '',
      ]);
    const joint = own.filter((key) => key.columns.length > 1);
    return [
      `### ${name}`,
      comment,
      toTable(['column', 'type', 'null', 'default', 'key', ''], rows),
      ...(joint.length > 0
        ? [joint.map((key) => `- ${key.key}: ${key.columns.map(code).join(', ')}`).join('\n')]
        : []),
    ];
  };
  const sections = [
    '# Schema',
    'Written by `make schema` from the migrations and a migrated database; `src/db/schema.test.ts` ' +
      'refuses a stale one. All triggers and functions stand at the end.',
    toTable(
      ['file', 'tables'],
      subjects.map(({ file, tables: own }) => [
        `[${file}](${file}.sql)`,
        own.map(({ name }) => `[${name}](#${name})`).join(', '),
      ]),
    ),
    ...subjects.flatMap((subject) => [
      `## ${subject.file}`,
      subject.comment,
      ...subject.tables.flatMap(describeTable),
    ]),
    ...(await describeFunctions(sql, tables)),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Returns the tables and columns without a comment, as 'table' and 'table.column'. */
export async function listUncommented(sql: Sql): Promise<string[]> {
  const known = new Map(
    parseMigrations().flatMap(({ tables }) => tables.map((table) => [table.name, table] as const)),
  );
  const columns = (await listColumns(sql)).filter(({ table }) => table !== 'schema_migration');
  return [
    ...new Set(columns.map(({ table }) => table).filter((table) => !known.get(table)?.comment)),
    ...columns
      .filter(({ table, name }) => !known.get(table)?.columns.get(name))
      .map(({ table, name }) => `${table}.${name}`),
  ];
}
