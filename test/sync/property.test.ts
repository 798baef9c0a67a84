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
import type { Place } from './pick.ts';
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

type Kind = keyof typeof OPERATIONS;
const KINDS = Object.keys(OPERATIONS) as Kind[];
/** Much of what happens is that something arrives, or goes where a copy must not follow. */
const FREQUENT: readonly Kind[] = [
  'upload',
  'addToAlbum',
  'album',
  'portrait',
  'face',
  'lock',
  'thinOutInLocked',
  'remember',
];
/** Operations after which somebody sees more or less of what others have. */
const SHARING: readonly Kind[] = [
  'upload',
  'archive',
  'archiveMember',
  'lock',
  'trash',
  'remove',
  'album',
  'dropAlbum',
  'addToAlbum',
  'takeFromAlbum',
  'share',
  'unshare',
  'partner',
  'unpartner',
  'hidePlaces',
  'stack',
  'leaveStack',
  'unstack',
  'link',
  'unlink',
  'removeAccount',
];

const number = fc.integer({ min: 0, max: 1000 });
const toOperation = (kind: fc.Arbitrary<Kind>) => fc.record({ kind, a: number, b: number });

/** Steps of users, phones and time. */
function toStep(kind: fc.Arbitrary<Kind>) {
  const operation = toOperation(kind);
  const stream = fc.record({
    kind: fc.constant('stream' as const),
    who: fc.integer({ min: 0, max: 2 }),
    batch: fc.integer({ min: 1, max: 9 }),
    breakAfter: fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: 60 })),
    /** Operations between its batches. */
    meanwhile: fc.array(operation, { maxLength: 6 }),
  });
  return fc.oneof(
    { weight: 12, arbitrary: operation },
    { weight: 3, arbitrary: stream },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('elevate' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('hold' as const) }) },
  );
}
type Step = ReturnType<typeof toStep> extends fc.Arbitrary<infer Value> ? Value : never;

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

/** Begins a transaction, which holds the watermark back, or ends it. */
function createHolder() {
  let held: { readonly release: () => void; readonly ended: Promise<unknown> } | undefined;
  async function release(): Promise<void> {
    held?.release();
    await held?.ended;
    held = undefined;
  }
  async function toggle(): Promise<void> {
    if (held) return release();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const ended = database.sql.begin(async (tx) => {
      await tx`select pg_current_xact_id()`;
      begun.resolve();
      await end.promise;
    });
    held = { release: end.resolve, ended };
    await begun.promise;
  }
  return { toggle, release, [Symbol.asyncDispose]: release };
}

type Furnish = (place: Place) => Promise<void>;

/** Takes the steps in a new household, and compares each copy with what its account may see. */
async function checkCopies(furnish: Furnish, steps: readonly Step[]): Promise<void> {
  await emptyTables(database, 'app_user', 'change', 'sync_checkpoint');
  const people = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
    // Has no phone: an account that is removed is out of all of them.
    await seed(database).user(),
  ] as const;
  const place = { database, people };
  await furnish(place);
  const clients = people.slice(0, 3).map((user) => ({
    connection: connect(app, user),
    copy: emptyCopy(),
  }));
  const elevation = { isOn: false };
  await using holder = createHolder();
  for (const item of steps) {
    if (item.kind === 'elevate') await toggle(people[0], elevation);
    else if (item.kind === 'hold') await holder.toggle();
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
  await holder.release();
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
}

const OPTIONS = {
  numRuns: Number(process.env['SAFELIGHT_TEST_SYNC_RUNS'] ?? effort({ quick: 3, full: 12 })),
  // A failure is made smaller for so long, and then told; a busy machine tries fewer.
  interruptAfterTimeLimit: 120_000,
};

async function addPortraits(place: Place): Promise<void> {
  for (const n of [0, 1, 2, 3, 0, 1, 2, 3]) await OPERATIONS.portrait(place, n, n);
}

/** Partners, and albums with items of the archive that others see. */
async function shareMuch(place: Place): Promise<void> {
  for (let n = 0; n < 4; n++) {
    for (const state of [0, 2, 2]) await OPERATIONS.upload(place, n, state);
    await OPERATIONS.stack(place, n, 0);
    await OPERATIONS.album(place, n, n);
    for (const other of [1, 2, 3]) await OPERATIONS.partner(place, n, n + other);
  }
  for (let n = 0; n < 12; n++) {
    await OPERATIONS.addToAlbum(place, n, n);
    await OPERATIONS.share(place, n, n + 1 + Math.floor(n / 4));
  }
}

test('whatever happens and however streams break, a copy becomes what the account may see', async () => {
  const kind = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...FREQUENT) },
    { weight: 3, arbitrary: fc.constantFrom(...KINDS) },
  );
  const steps = fc.array(toStep(kind), { minLength: 30, maxLength: 90 });
  await fc.assert(
    fc.asyncProperty(steps, (taken) => checkCopies(addPortraits, taken)),
    OPTIONS,
  );
}, 300_000);

test('a copy keeps nothing that its account no longer sees in any way', async () => {
  const steps = fc.array(toStep(fc.constantFrom(...SHARING)), { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, (taken) => checkCopies(shareMuch, taken)),
    OPTIONS,
  );
}, 300_000);
