// bun test/bench/reads.bench.ts [assets] [others]: every read of growth.ts in a library of this size, a fifth of which
// other accounts own, in a process that has just started and again, by the account with the most and by one of the others;
// and the plans of the ten that took longest. On a database of the server in TEST_POSTGRES, which needs
// auto_explain (a part of PostgreSQL) and 2 KB of disk for each asset.
import { drizzle } from 'drizzle-orm/postgres-js';
import { handleStoreSummaries } from '../../src/areas/assets/counts/counts.handlers.ts';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { connect } from '../../src/db/address.ts';
import { openDatabase } from '../../src/db/client.ts';
import { furnish } from './furnish.ts';
import { getAmounts, listCalls } from './growth.ts';
import { openLibrary, round, timed } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const [assets = 1_000_000, others = 6] = process.argv.slice(2).map(Number);
const WORST = 10;
const AGAIN = 3;
/** Lines of a plan. */
const MOST_LINES = 40;

type Statement = { readonly ms: number; readonly blocks: number; readonly plan: string };
let statements: Statement[] = [];

/** Opens a database of which each statement tells its plan. */
function openExplained({ url }: Library) {
  const sql = connect(url, {
    max: 1,
    onnotice({ message = '' }) {
      const [, ms] = /^duration: ([\d.]+) ms\s+plan:/.exec(message) ?? [];
      if (ms === undefined) return;
      const [, hit = 0, read = 0] =
        /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(message) ?? [];
      statements.push({ ms: Number(ms), blocks: Number(hit) + Number(read), plan: message });
    },
  });
  return { db: drizzle(sql), sql, close: () => sql.end({ timeout: 5 }) };
}

const hasId = (...parts: unknown[]): boolean =>
  /[\da-f]{8}-[\da-f]{4}-/.test(JSON.stringify(parts));

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  client_min_messages: 'log',
};

const seedMs = { rows: 0, summaries: 0 };
const name = `bench_reads_${process.pid}`;
let library: Library | undefined;
try {
  seedMs.rows = await timed(async () => (library = await seedLibrary(name, assets, { others })));
  const filler = openDatabase(library!.url, { max: 1 });
  const { albumId } = await furnish(filler.sql, library!, { amounts: getAmounts(assets / 8) });
  const calls = await listCalls(filler.sql, albumId);
  const { deps, ...before } = openLibrary(library!, 2);
  const context = {
    ...deps,
    signal: new AbortController().signal,
    isLastAttempt: true,
    onFailed() {},
    restartTimeLimit() {},
  };
  seedMs.summaries = await timed(async () => void (await handleStoreSummaries(context, {})));
  await before.close();
  for (const [setting, value] of Object.entries(SETTINGS))
    await filler.sql.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  const key = newSecret();
  const [other] = await filler.sql<{ userId: string }[]>`
    insert into api_key (user_id, name, key_hash, permissions)
    select id, 'bench', ${sha256(key)}, '{all}' from app_user where email = 'owner1@example.com'
    returning user_id as "userId"`;
  await filler.close();
  console.log(JSON.stringify({ assets, seedMs }));

  const reads = [];
  const accounts = [
    ['most', library!],
    ...(other ? [['other', { ...library!, ...other, key }] as const] : []),
  ] as const;
  const runs = accounts.flatMap(([by, account]) =>
    calls
      // Theirs are not the albums, tags and people of the first account.
      .filter(([, route, body]) => by === 'most' || !hasId(route, body))
      .map((call) => ({ by, account, call })),
  );
  for (const {
    by,
    account,
    call: [read, route, body],
  } of runs) {
    // Nothing is remembered for another pool.
    const { request, close } = openLibrary(account, 1, openExplained(account));
    await request('GET /users/me');
    statements = [];
    const firstMs = await timed(() => request(route, body));
    const slowest = statements.toSorted((a, b) => b.ms - a.ms)[0];
    const databaseMs = round(statements.reduce((sum, { ms }) => sum + ms, 0));
    const blocks = statements.reduce((sum, statement) => sum + statement.blocks, 0);
    const again: number[] = [];
    for (let n = 0; n < AGAIN; n++) again.push(await timed(() => request(route, body)));
    reads.push({
      by,
      read,
      route,
      firstMs,
      databaseMs,
      blocks,
      againMs: Math.min(...again),
      slowest,
    });
    await close();
  }
  const sorted = reads.toSorted((a, b) => b.firstMs - a.firstMs);
  for (const { slowest: _, ...figures } of sorted) console.log(JSON.stringify(figures));
  for (const { read, route, slowest } of sorted.slice(0, WORST)) {
    // The text of the statement stands before its plan.
    const lines = (slowest?.plan ?? '').split('\n').slice(1);
    const plan = lines.slice(
      Math.max(
        0,
        lines.findIndex((line) => line.includes('(cost=')),
      ),
    );
    console.log(
      `\n## ${read}: ${route}, ${slowest?.ms} ms\n${plan.slice(0, MOST_LINES).join('\n')}`,
    );
  }
} finally {
  await dropLibrary(name);
}
process.exit(0);
