import { expect } from 'bun:test';
import { createApp, type App } from '../../src/app.ts';
import type { Deps } from '../../src/core/context.ts';
import { send, type TestDatabase, type TestUser } from './harness.ts';

/** A change by its name: a statement, or anything else. */
export type Changes = Readonly<Record<string, string | (() => Promise<unknown>)>>;

/** Memories are kept by pool: each request of an app with these finds a pool of its own. */
const withoutMemory = ({ deps }: TestDatabase): Deps => ({
  ...deps,
  get sql() {
    return new Proxy(deps.sql, {});
  },
});

/**
 * Checks that `route` returns the same bytes again, and after each change what a process returns that
 * remembers nothing. Returns the names of the changes that the response shows.
 */
export async function listShownChanges(
  database: TestDatabase,
  app: App,
  { route, as, changes }: { route: string; as: TestUser; changes: Changes },
): Promise<string[]> {
  const ask = async (asked: App) => (await send(asked, route, { as })).text();
  const fresh = createApp(withoutMemory(database));
  const shown: string[] = [];
  for (const [name, change] of Object.entries(changes)) {
    const before = await ask(app);
    expect([name, await ask(app)]).toEqual([name, before]);
    await (typeof change === 'string' ? database.sql.unsafe(change) : change());
    const after = await ask(app);
    expect([name, after]).toEqual([name, await ask(fresh)]);
    if (after !== before) shown.push(name);
  }
  return shown;
}
