import type { Sql } from 'postgres';

/** Returns everything that a database holds, one line for each object and the digest of each table's rows. */
export async function describeContents(sql: Sql): Promise<string[]> {
  const objects = await sql<{ line: string }[]>`
    select 'index ' || indexdef as line from pg_indexes where schemaname = 'public'
    union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select 'trigger ' || pg_get_triggerdef(oid) || ' ' || tgenabled::text
      from pg_trigger where not tgisinternal
    union all select 'function ' || pg_get_functiondef(oid) from pg_proc as function
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = function.oid and deptype = 'e')
    union all select 'sequence ' || sequencename || ' ' || coalesce(last_value::text, 'unused')
      from pg_sequences
    union all select 'extension ' || extname from pg_extension
    union all select 'comment ' || pg_describe_object(classoid, objoid, objsubid) || ' ' || description
      from pg_description where objoid >= 16384
    union all select concat_ws(' ', 'column', attrelid::regclass, attname,
        format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
        attcollation::regcollation, pg_get_expr(adbin, adrelid))
      from pg_attribute join pg_class on pg_class.oid = attrelid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and attnum > 0
        and not attisdropped`;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql`
        select count(*), md5(string_agg(one::text, ',' order by one::text)) as digest
        from ${sql(name)} as one`;
      return `rows ${name} ${row!['count']} ${row!['digest']}`;
    }),
  );
  return [...objects.map(({ line }) => line), ...rows].sort();
}
