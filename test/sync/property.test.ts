import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { App } from '../../src/app.ts';
import { handleCompact } from '../../src/areas/sync/compact.handlers.ts';
import { paging } from '../../src/areas/sync/page.store.ts';
import { effort } from '../support/effort.ts';
import { emptyTables } from '../support/empty-tables.ts';
import {
  NOW,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../support/harness.ts';
import { emptyCopy, syncAll, syncOnce } from './client.ts';
import { OPERATIONS } from './operations.ts';
import { connect, waitForWatermark } from './support.ts';
import { expectCopy } from './world.ts';

let database: TestDatabase;
let app: App;
const pageRows = paging.rows;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  paging.rows = 3;
});
afterAll(async () => {
  paging.rows = pageRows;
  await database.close();
});

const KINDS = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];
const number = fc.integer({ min: 0, max: 1000 });
const operation = fc.record({
  // Much of what happens is that something arrives, or goes where a copy must not follow.
  kind: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...([
          'upload',
          'addToAlbum',
          'album',
          'portrait',
          'face',
          'lock',
          'thinOutInLocked',
          'remember',
        ] as const),
      ),
    },
    { weight: 3, arbitrary: fc.constantFrom(...KINDS) },
  ),
  a: number,
  b: number,
});
const stream = fc.record({
  kind: fc.constant('stream' as const),
  who: fc.integer({ min: 0, max: 2 }),
  batch: fc.integer({ min: 1, max: 9 }),
  breakAfter: fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: 60 })),
  /** Operations between its batches. */
  meanwhile: fc.array(operation, { maxLength: 6 }),
});
const elevate = fc.record({ kind: fc.constant('elevate' as const) });
const compaction = fc.record({ kind: fc.constant('compact' as const) });
const step = fc.oneof(
  { weight: 12, arbitrary: operation },
  { weight: 3, arbitrary: stream },
  { weight: 1, arbitrary: elevate },
  { weight: 1, arbitrary: compaction },
);

async function compact(): Promise<void> {
  const { signal } = new AbortController();
  await handleCompact(
    {
      ...database.deps,
      signal,
      isLastAttempt: true,
      onFailed: () => {},
      restartTimeLimit: () => {},
    },
    {},
  );
}

/** Enters the PIN, or lets it expire. */
async function toggle(user: TestUser, elevation: { isOn: boolean }): Promise<void> {
  elevation.isOn = !elevation.isOn;
  const until = elevation.isOn ? new Date(NOW.getTime() + 600_000) : null;
  await database.sql`update session set elevated_until = ${until?.toISOString() ?? null}
    where user_id = ${user.id}`;
}

test('whatever happens and however streams break, a copy becomes what the account may see', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 90 }), async (steps) => {
      await emptyTables(database, 'app_user', 'change', 'sync_checkpoint');
      const people = [
        await seed(database).user(),
        await seed(database).user(),
        await seed(database).user(),
        // Has no phone: an account that is removed is out of all of them.
        await seed(database).user(),
      ] as const;
      const place = { database, people };
      for (const n of [0, 1, 2, 3, 0, 1, 2, 3]) await OPERATIONS.portrait(place, n, n);
      const clients = people.slice(0, 3).map((user) => ({
        connection: connect(app, user),
        copy: emptyCopy(),
      }));
      const elevation = { isOn: false };
      for (const item of steps) {
        if (item.kind === 'elevate') await toggle(people[0], elevation);
        else if (item.kind === 'compact') await compact();
        else if (item.kind === 'stream') {
          const { connection, copy } = clients[item.who]!;
          const left = [...item.meanwhile];
          await syncOnce(connection, copy, {
            batch: item.batch,
            breakAfter: item.breakAfter,
            async between() {
              const next = left.shift();
              if (next) await OPERATIONS[next.kind](place, next.a, next.b);
            },
          });
        } else await OPERATIONS[item.kind](place, item.a, item.b);
      }
      await waitForWatermark(database);
      for (const [index, { connection, copy }] of clients.entries()) {
        await syncAll(connection, copy, { batch: 7 });
        const isElevated = index === 0 && elevation.isOn;
        await expectCopy(database, copy, { id: people[index]!.id, isElevated });
      }
      // Nothing happened since: nothing is sent.
      for (const { connection, copy } of clients) {
        expect((await syncOnce(connection, copy)).counts).toEqual({ SyncCompleteV1: 1 });
      }
    }),
    {
      numRuns: Number(process.env['SAFELIGHT_TEST_SYNC_RUNS'] ?? effort({ quick: 3, full: 12 })),
      // A failure is made smaller for so long, and then told; a busy machine tries fewer.
      interruptAfterTimeLimit: 120_000,
    },
  );
}, 300_000);
