// bun test/bench/integrity.bench.ts [MiB]: speed of the checks of the integrity, and requests beside the one of
// checksums. The checks run in a process of their own, as their thread does. Prints JSON.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyOriginal } from '../../src/areas/integrity/index.ts';
import { checkUntracked } from '../../src/areas/integrity/checks/untracked.ts';
import { createApp } from '../../src/app.ts';
import { derivedName } from '../../src/core/paths.ts';
import { bundle } from '../crash/bundle.ts';
import { toSha256 } from '../support/forms.ts';
import { seed, testDatabase } from '../support/harness.ts';
import { addFile, jobCtx } from '../support/processing.ts';
import { until } from '../support/until.ts';
import { latency, requestsTo } from './measure.ts';

const MIB = 1024 ** 2;
const FILE_BYTES = 4 * MIB;
const megabytes = Number(process.argv[2] ?? 1024);
const UNTRACKED = 20_000;

const database = await testDatabase();
const { sql, deps } = database;
const admin = await seed(database).user(['all'], { isAdmin: true });
const request = requestsTo(createApp(deps), admin);
const originals: Uint8Array[] = [];
for (let n = 0; n < (megabytes * MIB) / FILE_BYTES; n++) {
  const bytes = randomBytes(FILE_BYTES);
  await addFile(database, { name: 'a.jpg', bytes }, { ownerId: admin.id });
  originals.push(toSha256(bytes));
}
await sql`update original set size = ${FILE_BYTES}`;
const seconds = async (work: () => Promise<unknown>) => {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
};

const unlimited = await seconds(async () => {
  for (const sha256 of originals) {
    const { verdict } = await verifyOriginal(deps.paths, { sha256, size: FILE_BYTES });
    if (verdict !== 'ok') throw new Error(verdict);
  }
});

const search = () => request('GET /timeline/buckets');
const alone = await latency(search, 500);
const script = await bundle(join(import.meta.dir, '../crash/integrity-child.ts'));
await request('POST /jobs', { name: 'integrity-checksum-mismatch' });
const child = Bun.spawn([process.execPath, script, deps.settings.databaseUrl!, deps.paths.root]);
const getCheck = async () =>
  (await sql`select * from integrity_check where type = 'checksum_mismatch'`)[0]!;
await until(async () => (await getCheck())['started_at'] !== null);
let beside: unknown;
const limited = await seconds(async () => {
  beside = await latency(search, 500);
  await until(async () => (await getCheck())['completed_at'] !== null, 600_000);
});
child.kill();

for (let n = 0; n < UNTRACKED; n++) {
  await Bun.write(
    join(deps.paths.derived, derivedName(crypto.randomUUID(), 'preview', 'jpg')),
    'x',
  );
}
const now = () => new Date(Date.now() + 2 * 24 * 3_600_000);
let found = 0;
const walk = await seconds(async () => {
  const scan = { cursor: null } as never;
  for await (const step of checkUntracked(jobCtx(database, { now }), scan)) {
    found += step.found?.length ?? 0;
  }
});
if (found !== UNTRACKED) throw new Error(`${found} of ${UNTRACKED} files were found`);

const results = {
  'checksums, MiB/s without the limit': Math.round(megabytes / unlimited),
  'checksums, MiB/s as a job': Math.round(megabytes / limited),
  'requests alone': alone,
  'requests beside it': beside,
  'untracked, files/s': Math.round((UNTRACKED + originals.length) / walk),
};
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
await database.close();
await rm(deps.paths.root, { recursive: true, force: true });
