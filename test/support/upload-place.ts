import { afterAll, afterEach, beforeAll } from 'bun:test';
import { readdir, readFile, rm } from 'node:fs/promises';
import type { Deps } from '../../src/core/context.ts';
import { overrideUploadLimits } from '../../src/areas/uploads/resumable/limits.ts';
import { silentLog } from '../../src/core/log.ts';
import { originalPath } from '../../src/core/paths.ts';
import { type ListenerOptions, startListener } from '../../src/http/listener.ts';
import { sha256Of } from './forms.ts';
import { seed, type TestDatabase, type TestUser, testApp, testDatabase } from './harness.ts';
import type { Client } from './resumable.ts';
import { hangUpAll } from './wire.ts';

// oxlint-disable-next-line no-explicit-any -- tests read the columns they expect
type Row = Record<string, any>;

export type Place = {
  readonly database: TestDatabase;
  readonly alice: TestUser;
  /** Alice's. */
  readonly client: Client;
  /** The same library with another `Deps`, for a client of its own; closed with the first. */
  open(over?: Partial<Deps>, listen?: Partial<ListenerOptions>): Promise<Client>;
  /** The owner's asset with these bytes: undefined, or the only one. */
  assetOf(bytes: Uint8Array, owner?: TestUser): Promise<Row | undefined>;
  original(bytes: Uint8Array): Promise<Buffer | undefined>;
  /** The file is there, and is this one. */
  isWhole(bytes: Uint8Array): Promise<boolean>;
  /** Names of the files in progress. */
  partials(): Promise<string[]>;
  /** Every upload, so that a test does not meet those of the one before. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

/** A library that takes uploads in through a real listener, and an account. */
export async function openPlace(): Promise<Place> {
  const database = await testDatabase();
  const alice = await seed(database).user();
  const { paths } = database.deps;
  const listeners: { stop(graceMs?: number): Promise<unknown> }[] = [];
  const open: Place['open'] = async (over, listen) => {
    const { fetch } = testApp(database, over);
    const options = { fetch, host: '127.0.0.1', port: 0, log: silentLog, ...listen };
    const listener = await startListener(options);
    listeners.push(listener);
    return { port: listener.port, key: alice.key };
  };
  const original: Place['original'] = (bytes) =>
    readFile(originalPath(paths, sha256Of(bytes))).catch(() => undefined);
  return {
    database,
    alice,
    client: await open(),
    open,
    async assetOf(bytes, owner = alice) {
      const rows = await database.sql`
        select * from asset where sha256 = ${sha256Of(bytes)} and owner_id = ${owner.id}`;
      if (rows.length > 1) throw new Error('one file has become several assets');
      return rows[0];
    },
    original,
    isWhole: async (bytes) => (await original(bytes))?.equals(bytes) ?? false,
    partials: () => readdir(paths.incoming).catch(() => []),
    async forget() {
      await database.sql`delete from upload`;
      await rm(paths.incoming, { recursive: true, force: true });
    },
    async close() {
      for (const listener of listeners) await listener.stop(0);
      await database.close();
    },
  };
}

/** One for all tests of a file, in which none meets the uploads of the one before. */
export function placeOfTests(): Omit<Place, 'close'> {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace();
  });
  afterEach(async () => {
    hangUpAll();
    overrideUploadLimits();
    await place.forget();
  });
  afterAll(() => place.close());
  return {
    get database() {
      return place.database;
    },
    get alice() {
      return place.alice;
    },
    get client() {
      return place.client;
    },
    open: (...over) => place.open(...over),
    assetOf: (...asked) => place.assetOf(...asked),
    original: (bytes) => place.original(bytes),
    isWhole: (bytes) => place.isWhole(bytes),
    partials: () => place.partials(),
    forget: () => place.forget(),
  };
}
