import { afterAll, afterEach, beforeAll } from 'bun:test';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../src/core/context.ts';
import { overrideUploadLimits } from '../../src/areas/uploads/resumable/responses.ts';
import { silentLog } from '../../src/core/log.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { type ListenerOptions, startListener } from '../../src/http/listener.ts';
import { toSha256 } from './forms.ts';
import { seed, type TestDatabase, type TestUser, testApp, testDatabase } from './harness.ts';
import type { Client } from './resumable.ts';
import type { AssetRow } from './rows.ts';
import { closeAllConnections } from './wire.ts';

export type UploadServer = {
  readonly database: TestDatabase;
  readonly alice: TestUser;
  /** Alice's. */
  readonly client: Client;
  /** The same library with other `Deps` for another client; closed with the first. */
  open(over?: Partial<Deps>, listen?: Partial<ListenerOptions>): Promise<Client>;
  /** The owner's only asset with these bytes, or undefined. */
  findAsset(bytes: Uint8Array, owner?: TestUser): Promise<AssetRow | undefined>;
  original(bytes: Uint8Array): Promise<Buffer | undefined>;
  /** Expects the file to be there with these bytes. */
  isWhole(bytes: Uint8Array): Promise<boolean>;
  /** Names of files in progress. */
  partials(): Promise<string[]>;
  /** Deletes all uploads of previous tests. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a library with a real listener and a user who uploads. */
export async function startUploadServer(): Promise<UploadServer> {
  const database = await testDatabase();
  const alice = await seed(database).user();
  const { paths } = database.deps;
  const listeners: { stop(graceMs?: number): Promise<unknown> }[] = [];
  const open: UploadServer['open'] = async (over, listen) => {
    const { fetch } = testApp(database, over);
    const options = { fetch, host: '127.0.0.1', port: 0, log: silentLog, ...listen };
    const listener = await startListener(options);
    listeners.push(listener);
    return { port: listener.port, key: alice.key };
  };
  const original: UploadServer['original'] = (bytes) =>
    readFile(originalPath(paths, toSha256(bytes))).catch(() => undefined);
  return {
    database,
    alice,
    client: await open(),
    open,
    async findAsset(bytes, owner = alice) {
      const rows = await database.sql<AssetRow[]>`
        select *, local_taken_at::text as local from asset where sha256 = ${toSha256(bytes)} and owner_id = ${owner.id}`;
      if (rows.length > 1) throw new Error('one file has become several assets');
      return rows[0];
    },
    original,
    isWhole: async (bytes) => (await original(bytes))?.equals(bytes) ?? false,
    partials: () => readdir(paths.incoming).catch(() => []),
    async forget() {
      await database.sql`delete from upload`;
      // Not the folder itself: tools that may read it would have to be started again.
      for (const name of await readdir(paths.incoming).catch(() => [])) {
        await rm(join(paths.incoming, name), { recursive: true, force: true });
      }
    },
    async close() {
      for (const listener of listeners) await listener.stop(0);
      await database.close();
    },
  };
}

/** One server for all tests of a file, without uploads of previous tests. */
export function useUploadServer(): Omit<UploadServer, 'close'> {
  let place: UploadServer;
  beforeAll(async () => {
    place = await startUploadServer();
  });
  afterEach(async () => {
    closeAllConnections();
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
    findAsset: (...asked) => place.findAsset(...asked),
    original: (bytes) => place.original(bytes),
    isWhole: (bytes) => place.isWhole(bytes),
    partials: () => place.partials(),
    forget: () => place.forget(),
  };
}
