import { afterEach, beforeEach, expect } from 'bun:test';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPaths } from '../../src/core/paths.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { getPartialPath } from '../../src/staging/partial-file.ts';
import { toSha256 } from '../support/forms.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { append, type Client, reserve, UPLOADS } from '../support/resumable.ts';
import { startChild } from './child.ts';
import { type Cut, cutPower, type PowerLab, startPowerLab } from './power-lab.ts';
import { createFile } from './resumable-files.ts';
import { skipWithout } from '../support/requirements.ts';

const { test } = skipWithout('power cuts');
const SIZE_MIB = 256;
const UPLOADED = 24;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-power-'));
  await mkdir(join(folder, 'seed', 'data'), { recursive: true, mode: 0o755 });
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Every second upload is completed; of the others two thirds are promised. */
const isCompleted = (n: number) => n % 2 === 0;
const getPromisedBytes = (n: number) => Math.floor((createFile(n).length * 2) / 3);

/** Uploads one after the other; each is noted when the server has acknowledged its bytes. */
async function uploadAll(lab: PowerLab, client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= UPLOADED; n++) {
    // Control: a file that is acknowledged without fsync.
    await writeFile(join(lab.mount, `careless-${n}`), createFile(n));
    const file = createFile(n);
    const location = await reserve(client, file);
    const part = file.subarray(0, getPromisedBytes(n));
    const open = { headers: { 'upload-complete': '?0' } };
    expect((await append(client, location, 0, part, open)).status).toBe(204);
    if (isCompleted(n)) {
      const rest = file.subarray(part.length);
      expect((await append(client, location, part.length, rest)).status).toBe(202);
    }
    ids[n] = location.slice(UPLOADS.length + 1);
    lab.answered(n);
  }
  return ids;
}

/** Expects all acknowledged bytes. */
async function expectPromises({ mount, answered }: Cut, ids: readonly string[]): Promise<void> {
  const paths = dataPaths(join(mount, 'data'));
  for (let n = 1; n <= answered; n++) {
    const file = createFile(n);
    const length = isCompleted(n) ? file.length : getPromisedBytes(n);
    const path = isCompleted(n)
      ? originalPath(paths, toSha256(file))
      : getPartialPath(paths, { id: ids[n]!, fileEpoch: 1 });
    const found = (await readFile(path)).subarray(0, length);
    expect({ n, isThere: found.equals(file.subarray(0, length)) }).toEqual({ n, isThere: true });
  }
}

async function countUnsyncedLosses({ mount, answered }: Cut): Promise<number> {
  let lost = 0;
  for (let n = 1; n <= answered; n++) {
    const bytes = await readFile(join(mount, `careless-${n}`)).catch(() => undefined);
    if (!bytes?.equals(createFile(n))) lost += 1;
  }
  return lost;
}

test('a power cut loses no acknowledged byte of a resumable upload', async () => {
  const database = await testDatabase();
  let ids: string[];
  const lab = await startPowerLab(folder, join(folder, 'seed'), SIZE_MIB);
  try {
    const { key } = await seed(database).user();
    const { databaseUrl } = database.deps.settings;
    const limits = { maxOpen: UPLOADED };
    const server = await startChild(databaseUrl!, join(lab.mount, 'data'), { limits });
    try {
      ids = await uploadAll(lab, { port: Number(new URL(server.url).port), key });
    } finally {
      await server.kill();
    }
  } finally {
    await lab.stop();
    await database.close();
  }
  let state = 11;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let [careless, answers] = [0, 0];
  await cutPower(folder, SIZE_MIB, { cuts: 30, random }, async (cut) => {
    await expectPromises(cut, ids);
    careless += await countUnsyncedLosses(cut);
    answers += cut.answered;
  });
  expect(answers).toBeGreaterThan(30);
  // Otherwise the cuts would prove nothing.
  expect(careless).toBeGreaterThan(0);
}, 600_000);
