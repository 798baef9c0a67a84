// bun test/bench/library.bench.ts [files]: the first scan of an external library without media work, and
// scans of unchanged and of renamed files. Prints JSON.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleTakeInFiles } from '../../src/areas/libraries/intake/intake.handlers.ts';
import { handleScanLibrary } from '../../src/areas/libraries/scan/scan.handlers.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';
import { openLibrary, round } from './measure.ts';
import { memoryMiB } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const files = Number(process.argv[2] ?? 100_000);
const FILES_PER_FOLDER = 500;
/** Small: how fast large files are read depends on the disk. */
const FILE_BYTES = 8_192;

const root = await realpath(await mkdtemp(join(tmpdir(), 'safelight-library-')));
for (let n = 0; n < files; n++) {
  const folder = join(root, `${Math.floor(n / FILES_PER_FOLDER)}`);
  if (n % FILES_PER_FOLDER === 0) mkdirSync(folder);
  writeFileSync(join(folder, `IMG_${n}.jpg`), Buffer.alloc(FILE_BYTES, `${n} `));
}

const library = await seedLibrary('bench_library', 1_000);
const { deps, sql, request, close } = openLibrary(library);
await sql`update app_user set is_admin = true`;
const { id } = await request('POST /libraries', { ownerId: library.userId, importPaths: [root] });
let peak = 0;

/** Runs the jobs of a scan to the end; returns seconds. */
async function scan(): Promise<number> {
  await request(`POST /libraries/${id}/scan`);
  const from = performance.now();
  const lane = runLane({
    deps,
    lane: 'background',
    // Jobs of media are not run; deciding about missing files waits two seconds.
    jobs: jobs.filter(({ name }) => name === 'libraries.scan' || name === 'libraries.takeIn'),
    worker: crypto.randomUUID(),
    concurrency: 2,
    batch: 16,
    handlers: {
      'libraries.scan': handleScanLibrary,
      'libraries.takeIn': handleTakeInFiles,
    } as unknown as HandlersByLane<'background'>,
  });
  let left;
  do {
    await Bun.sleep(50);
    peak = Math.max(peak, memoryMiB(process.pid, 'VmRSS'));
    lane.wake();
    [left] = await sql`
      select count(*)::int as jobs from job where name in ('libraries.scan', 'libraries.takeIn')`;
  } while (left!['jobs'] > 0);
  const seconds = (performance.now() - from) / 1000;
  await lane.stop(1_000);
  return seconds;
}

const idle = memoryMiB(process.pid, 'VmRSS');
const first = await scan();
await sql`analyze`;
const again = await scan();
renameSync(join(root, '0'), join(root, 'renamed'));
const renamed = await scan();
const [state] = await sql`
  select count(*)::int as items, count(*) filter (where folder like '%/renamed')::int as renamed
  from asset where library_id = ${id}`;
process.stdout.write(
  `${JSON.stringify(
    {
      files,
      items: state!['items'],
      'first scan, files/s': round(files / first, 0),
      'unchanged, s': round(again),
      'folder renamed, s': round(renamed),
      itemsThatMoved: state!['renamed'],
      'memory above idle, MiB': round(peak - idle, 0),
    },
    null,
    2,
  )}\n`,
);
await close();
await dropLibrary('bench_library');
rmSync(root, { recursive: true });
