import type { Sql } from 'postgres';

/** Returns a getter of what a process keeps for each database: one value, made on first use. */
export function perDatabase<T extends object>(create: () => T): (pool: Sql) => T {
  const values = new WeakMap<Sql, T>();
  return (pool) => {
    let value = values.get(pool);
    if (!value) values.set(pool, (value = create()));
    return value;
  };
}
