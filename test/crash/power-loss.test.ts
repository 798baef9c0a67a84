import { afterEach, beforeEach, expect } from 'bun:test';
import { createCipheriv } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { toHex } from '../../src/core/hash.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { startCluster } from '../../src/db/cluster.ts';
import { statLocal } from '../../src/storage/files.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { toSha256 } from '../support/forms.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { send, startChild } from './child.ts';
import { type Cut, cutPower, type PowerLab, startPowerLab } from './power-lab.ts';
import { skipWithout } from '../support/requirements.ts';

const { test } = skipWithout('power cuts');
const SIZE_MIB = 256;
const UPLOADS = 25;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-power-'));
  // The database does not run as root, and has to reach its files.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'seed', 'data'), { recursive: true, mode: 0o755 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns deterministic bytes for a number, so that the check can compute the expected file. */
function createBytes(n: number): Uint8Array {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16, n));
  return cipher.update(Buffer.alloc(60_000 + n * 997));
}

/** Adds an account to the database. Returns its API key. */
const addAccount = async (database: Pick<Database, 'db'>) => (await seed(database).user()).key;

/** A library with its own database. */
async function makeLibrary(dataDir: string): Promise<string> {
  await addDatabase(dataDir);
  const cluster = await startCluster({ dataDir, log: silentLog });
  const database = openDatabase(cluster.url, { max: 1 });
  const key = await addAccount(database);
  await database.close();
  await cluster.stop();
  return key;
}

/** Uploads sequentially and records each acknowledged upload. */
async function uploadAll(lab: PowerLab, databaseUrl: string, key: string): Promise<void> {
  const server = await startChild(databaseUrl, join(lab.mount, 'data'));
  try {
    for (let n = 1; n <= UPLOADS; n++) {
      // Control: a file that is acknowledged without fsync.
      await writeFile(join(lab.mount, `careless-${n}`), createBytes(n));
      expect(await send(server, key, createBytes(n))).toMatchObject({ outcome: 'created' });
      lab.answered(n);
    }
  } finally {
    await server.kill();
  }
}

/** Expects the originals of all acknowledged uploads, and no truncated file under a final name. */
async function expectFiles({ mount, answered }: Cut): Promise<void> {
  const paths = dataPaths(join(mount, 'data'));
  for (let n = 1; n <= answered; n++) {
    const found = await statLocal(originalPath(paths, toSha256(createBytes(n))));
    expect({ n, answered, size: found?.size }).toEqual({
      n,
      answered,
      size: createBytes(n).length,
    });
  }
  const entries = await readdir(paths.originals, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name));
    expect(toHex(toSha256(bytes))).toBe(entry.name);
  }
}

/** Expects the database to start, to have all acknowledged uploads and to name no missing file. */
async function expectRows({ mount, answered }: Cut): Promise<void> {
  const dataDir = join(mount, 'data');
  const cluster = await startCluster({ dataDir, log: silentLog });
  const database = openDatabase(cluster.url, { max: 1 });
  try {
    const rows = await database.sql<{ sha256: Uint8Array }[]>`select sha256 from asset`;
    const known = new Set(rows.map(({ sha256 }) => toHex(sha256)));
    for (let n = 1; n <= answered; n++) {
      expect({ n, known: known.has(toHex(toSha256(createBytes(n)))) }).toEqual({ n, known: true });
    }
    for (const { sha256 } of rows) {
      expect(await statLocal(originalPath(dataPaths(dataDir), sha256))).toBeDefined();
    }
  } finally {
    await database.close();
    await cluster.stop();
  }
}

async function countUnsyncedLosses({ mount, answered }: Cut): Promise<number> {
  let lost = 0;
  for (let n = 1; n <= answered; n++) {
    const bytes = await readFile(join(mount, `careless-${n}`)).catch(() => undefined);
    if (!bytes?.equals(createBytes(n))) lost += 1;
  }
  return lost;
}

/** Cuts the power at the same moments every time. */
async function expectAfterCuts(cuts: number, check: (cut: Cut) => Promise<void>): Promise<void> {
  let careless = 0;
  let answers = 0;
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  await cutPower(folder, SIZE_MIB, { cuts, random }, async (cut) => {
    await check(cut);
    careless += await countUnsyncedLosses(cut);
    answers += cut.answered;
  });
  expect(answers).toBeGreaterThan(cuts);
  // Otherwise the cuts would prove nothing.
  expect(careless).toBeGreaterThan(0);
}

test('a power cut loses no acknowledged upload when files and database share the disk', async () => {
  const key = await makeLibrary(join(folder, 'seed', 'data'));
  const lab = await startPowerLab(folder, join(folder, 'seed'), SIZE_MIB);
  try {
    const cluster = await startCluster({ dataDir: join(lab.mount, 'data'), log: silentLog });
    try {
      await uploadAll(lab, cluster.url, key);
    } finally {
      await cluster.stop();
    }
  } finally {
    await lab.stop();
  }
  await expectAfterCuts(12, async (cut) => {
    await expectFiles(cut);
    await expectRows(cut);
  });
}, 600_000);

// A database on the same disk flushes directory entries too, which would hide a missing fsync.
test('a power cut loses no file of an acknowledged upload when the database is elsewhere', async () => {
  const database = await testDatabase();
  try {
    const key = await addAccount(database);
    const lab = await startPowerLab(folder, join(folder, 'seed'), SIZE_MIB);
    try {
      await uploadAll(lab, database.deps.settings.databaseUrl!, key);
    } finally {
      await lab.stop();
    }
  } finally {
    await database.close();
  }
  await expectAfterCuts(40, expectFiles);
}, 600_000);
