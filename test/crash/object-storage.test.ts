import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { MARKER } from '../../src/storage/stored-file.ts';
import { useDatabase } from '../support/database.ts';
import { randomFileBytes, toSha256 } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { jobCtx } from '../support/processing.ts';
import { startS3Server } from '../support/s3-server.ts';
import { type Child, send, startChild } from './child.ts';

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const settings = {
  ...database.deps.settings,
  ...server.settings,
};
let alice: TestUser;
let running: Child | undefined;
beforeAll(async () => {
  alice = await seed(database).user();
});
afterAll(async () => {
  await running?.kill();
  await server.stop();
});

const start = async (): Promise<Child> => {
  const { databaseUrl, dataDir } = database.deps.settings;
  const objectStore = [server.url, server.credentials] as const;
  return (running = await startChild(databaseUrl!, dataDir, { objectStore }));
};
const listKeys = async (query: Promise<readonly { key: string }[]>) =>
  (await query).map(({ key }) => key);
const listNamed = () =>
  listKeys(sql<{ key: string }[]>`select object_key as key from original order by key`);
const listAnnounced = () =>
  listKeys(sql<{ key: string }[]>`select key from object_deletion order by key`);
const listStored = () => [...server.objects.keys()].filter((key) => key !== MARKER).toSorted();

/** Expects that each asset has its bytes, and that the database knows every object. */
async function expectConsistent(): Promise<void> {
  const rows = await sql`
    select encode(asset.sha256, 'hex') as hash, object_key as key
    from asset join original using (sha256)`;
  for (const { hash, key } of rows) {
    const { bytes } = server.objects.get(key)!;
    expect(Buffer.from(toSha256(bytes)).toString('hex')).toBe(hash);
  }
  const known = new Set([...(await listNamed()), ...(await listAnnounced())]);
  expect(listStored().filter((key) => !known.has(key))).toEqual([]);
}

const POINTS = [
  ...FAULT_POINTS.object.filter((point) => point !== 'object.deleted'),
  'asset.inserted',
  'asset.committed',
];

test.each(POINTS)(
  'a server killed at %s leaves no object that nobody knows, and the next upload succeeds',
  async (point) => {
    const bytes = randomFileBytes(300_000);
    const doomed = running ?? (await start());
    await doomed.arm(point);
    expect(await send(doomed, alice.key, bytes)).toBeUndefined();
    expect(await doomed.exited).not.toBe(0);
    await expectConsistent();
    const isCommitted = point === 'asset.committed';

    const next = await start();
    expect(await send(next, alice.key, bytes)).toMatchObject({
      outcome: isCommitted ? 'duplicate' : 'created',
    });
    await expectConsistent();
    await sql`update object_deletion set due_at = now()`;
    await handleRemoveFiles(jobCtx(database, { settings }), {});
    expect(listStored()).toEqual(await listNamed());
    expect(await listAnnounced()).toEqual([]);
    expect(await readdir(database.deps.paths.incoming)).toEqual([]);
  },
);
