// bun test/bench/rescan.bench.ts [files]: a scan of an external library in which nothing has changed. The files
// are hard links and are never read: rows that a scan has recorded are marked as read. Prints JSON.
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleScanLibrary } from '../../src/areas/libraries/scan/scan.handlers.ts';
import { openLibrary, round } from './measure.ts';
import { memoryMiB } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const files = Number(process.argv[2] ?? 1_000_000);
const FILES_PER_FOLDER = 500;
/** ext4 allows 65,000. */
const LINKS_PER_FILE = 50_000;
/** A file that has just changed is waited for. */
const QUIET_MS = 3_000;

const root = await realpath(await mkdtemp(join(tmpdir(), 'safelight-rescan-')));
for (let n = 0; n < files; n++) {
  const folder = join(root, `${Math.floor(n / FILES_PER_FOLDER)}`);
  const source = join(root, `source-${Math.floor(n / LINKS_PER_FILE)}`);
  if (n % LINKS_PER_FILE === 0) writeFileSync(source, `${n}`);
  if (n % FILES_PER_FOLDER === 0) mkdirSync(folder);
  linkSync(source, join(folder, `IMG_${n}.jpg`));
}
await Bun.sleep(QUIET_MS);

const library = await seedLibrary('bench_rescan', 1_000);
const { deps, sql, request, close } = openLibrary(library);
await sql`update app_user set is_admin = true`;
const { id } = await request('POST /libraries', { ownerId: library.userId, importPaths: [root] });
let peak = 0;

/** Returns the seconds and the processor time of this process in seconds; PostgreSQL's is not in it. */
async function scan() {
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  const watch = setInterval(() => (peak = Math.max(peak, memoryMiB(process.pid, 'VmRSS'))), 50);
  const effect = await handleScanLibrary(
    {
      ...deps,
      signal: new AbortController().signal,
      isLastAttempt: true,
      onFailed: () => {},
      restartTimeLimit: () => {},
    },
    { libraryId: id },
  );
  if (effect) await deps.db.transaction(async (tx) => void (await effect(tx)));
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - from) / 1000, cpu: (user + system) / 1e6 };
}

const first = await scan();
await sql`truncate job cascade`;
await sql`update library_file set sha256 = sha256(path::bytea)`;
await sql`vacuum analyze library_file`;
const idle = memoryMiB(process.pid, 'VmRSS');
peak = 0;
const again = await scan();
const [state] = await sql`
  select count(*)::int as files, count(*) filter (where unseen_at is not null)::int as unseen
  from library_file where library_id = ${id}`;
process.stdout.write(
  `${JSON.stringify(
    {
      files: state!['files'],
      unseen: state!['unseen'],
      'recorded, s': round(first.seconds),
      'unchanged, s': round(again.seconds),
      'unchanged, s of this process': round(again.cpu),
      'memory above idle, MiB': round(peak - idle, 0),
    },
    null,
    2,
  )}\n`,
);
await close();
await dropLibrary('bench_rescan');
rmSync(root, { recursive: true });
