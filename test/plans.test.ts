import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { useApp } from './support/database.ts';
import { call, seed, send, type TestUser } from './support/harness.ts';
import { addManyAssets } from './support/many-assets.ts';

// PostgreSQL plans a statement at its first five executions on a connection, and then keeps a plan unless those plans
// looked cheaper. A statement on the path of a request that is planned each time takes up to ten times as long.

for (const items of [130, 3000]) await testLibrary(items);

async function testLibrary(items: number) {
  const { database, app } = await useApp({}, { connections: 1 });
  const { sql } = database;
  let me: TestUser;
  let ids: string[];
  let albumIds: string[];
  let stackIds: string[];
  let key: string;

  beforeAll(async () => {
    me = await seed(database).user();
    ids = await addManyAssets(database, me.id, items);
    await sql`insert into asset_exif (asset_id, latitude, longitude, city) select id, 40 + random(), random(), 'Porto' from asset`;
    await sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    select id, kind, id || kind, 'image/jpeg', 1, 'tag' from asset, unnest(array['thumbnail', 'preview']) kind`;
    // Requests would leave plans for empty tables behind.
    albumIds = (
      await sql`insert into album (owner_id, name) select ${me.id}, n from generate_series(1, 12) n returning id`
    ).map(({ id }) => id);
    stackIds = (
      await sql`insert into stack (owner_id, primary_id)
      select ${me.id}, id from unnest(${ids.slice(0, 12)}::uuid[]) id returning id`
    ).map(({ id }) => id);
    for (const [n, albumId] of albumIds.entries()) {
      const members = ids.slice(n * 10, n * 10 + 3);
      await sql`insert into album_asset (album_id, asset_id) select ${albumId}, unnest(${members}::uuid[])`;
      await sql`update asset set stack_id = ${stackIds[n]!} where id = any(${[ids[n]!, ids[n + 100]!]}::uuid[])`;
    }
    const link = randomBytes(48);
    key = link.toString('base64url');
    await sql`insert into shared_link (owner_id, type, album_id, key)
    values (${me.id}, 'ALBUM', ${albumIds[0]!}, ${link})`;
    // Autovacuum waits for 50 rows: it has seen hardly any table of a new library.
    if (items < 1000) await sql`analyze asset, asset_file`;
    else await sql`analyze`;
    // Tests plan once; servers do not.
    await sql`set plan_cache_mode = auto`;
  });

  /** Requests that a page or a phone makes by the hundred: `n` is another number each time. */
  const REQUESTS: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'a thumbnail': (n) => send(app, `GET /assets/${ids[n]!}/thumbnail`, { session: me }),
    // A statement for the files of each.
    'pictures of each size at once': async (n) => {
      for (const query of ['size=thumbnail', 'size=preview', 'size=fullsize', 'edited=true'])
        await Promise.all(
          ids
            .slice(n, n + 2 + (n % 12))
            .map((id) => send(app, `GET /assets/${id}/thumbnail?${query}`, { session: me })),
        );
    },
    'an item': (n) => call(app, `GET /assets/${ids[n]!}`, { session: me }),
    'items at once': (n) =>
      Promise.all(
        ids.slice(n, n + 2 + (n % 12)).map((id) => call(app, `GET /assets/${id}`, { session: me })),
      ),
    people: (n) => call(app, `GET /people?page=1&size=${10 + n}`, { session: me }),
    'a month': () =>
      call(app, 'GET /timeline/bucket?timeBucket=2026-01-01&visibility=timeline', { session: me }),
    'albums, as a list and one by one': async (n) => {
      await call(app, 'GET /albums', { session: me });
      await call(app, `GET /albums/${albumIds[n % albumIds.length]!}`, { session: me });
      await call(app, `GET /albums?assetId=${ids[n]!}`, { session: me });
    },
    'faces and text of an item': async (n) => {
      await call(app, `GET /faces?id=${ids[n]!}`, { session: me });
      await call(app, `GET /assets/${ids[n]!}/ocr`, { session: me });
    },
    'stacks, as a list and one by one': async (n) => {
      await call(app, 'GET /stacks', { session: me });
      await call(app, `GET /stacks/${stackIds[n % stackIds.length]!}`, { session: me });
    },
    'shared links': () => call(app, 'GET /shared-links', { session: me }),
    'an album by a link': (n) => call(app, `GET /albums/${albumIds[0]!}?key=${key}&n=${n}`, {}),
    'the map': (n) =>
      call(app, `GET /map/clusters?bbox=-10,-10,${10 + n},80&zoom=3`, { session: me }),
    'a question': (n) =>
      call(app, 'POST /search/ask', { session: me, body: { query: `Porto ${2000 + (n % 9)}` } }),
    'a search': (n) =>
      call(app, 'POST /search/metadata', { session: me, body: { size: 250, page: 1 + (n % 4) } }),
  };

  const TIMES = 30;
  /** Plans before PostgreSQL decides; a statement may have been decided on by another test. */
  const FIRST_PLANS = 5;

  /** Statements by how often the driver has sent them. */
  const sent = new Map<string, number>();
  beforeAll(() => {
    sql.options.debug = (_, statement) => {
      sent.set(statement, (sent.get(statement) ?? 0) + 1);
    };
  });
  afterAll(() => {
    sql.options.debug = false;
  });

  test.each(Object.entries(REQUESTS))(
    `the statements of %s are planned once per connection, of ${items} items`,
    async (_, request) => {
      sent.clear();
      for (let n = 0; n < TIMES; n++) await request(n);
      const counts = new Map(sent);
      const rows = await sql<{ statement: string; plans: number }[]>`
      select statement, custom_plans::int as plans from pg_prepared_statements`;
      const plans = new Map(rows.map((row) => [row.statement, row.plans]));
      const planned = [...counts]
        .filter(([text, count]) => count >= TIMES && !TRANSACTION.test(text) && !PAGE.test(text))
        .map(([text]) => [
          plans.get(text) ?? 'not prepared',
          text.replaceAll(/\s+/g, ' ').slice(0, 300),
        ])
        .filter(([count]) => typeof count !== 'number' || count > FIRST_PLANS);
      expect(planned).toEqual([]);
    },
  );
}

/** The page of a search is planned for its values, which decide what index finds it: 0.6 ms. */
const PAGE = /^select (?:id|name), place::text/;
const TRANSACTION = /^(?:begin|commit|set |\s*select pg_backend_pid)/i;
