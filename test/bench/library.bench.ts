// bun test/bench/library.bench.ts [files] [copies]: the first scan of an external library without media work, and
// scans of unchanged and of renamed files; then a preview of physical deduplication of many copies.
// Prints JSON.
import { mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { handleTakeInFiles } from '../../src/areas/libraries/intake/intake.handlers.ts';
import { makePlan } from '../../src/areas/physical-deduplication/preview.domain.ts';
import { handleScanLibrary } from '../../src/areas/libraries/scan/scan.handlers.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';
import { openLibrary, round, timed } from './measure.ts';
import { databaseCpuMs, memoryMiB } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const files = Number(process.argv[2] ?? 100_000);
const copies = Number(process.argv[3] ?? 1_000_000);
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

const COPIES = join(root, 'copies');
const COPY_BYTES = 4_000_000;

/** Creates the file of a row of `previewCopies`: a review looks at the files that it decides about. */
function createCopy(path: string): void {
  const modifiedUs = Number(basename(path, '.jpg'));
  mkdirSync(COPIES, { recursive: true });
  writeFileSync(path, '');
  truncateSync(path, COPY_BYTES);
  utimesSync(path, 0, modifiedUs / 1e6);
}

/** Rows in groups of two and three, by SQL: a preview opens no file. */
async function previewCopies(rows: number) {
  const [external] = await sql`
    insert into library (owner_id, name, import_paths, exclusion_patterns)
    select id, 'copies', '{}', '{}' from app_user returning id, owner_id`;
  await sql`
    with made as materialized (
      select gen_random_uuid() as id, n, sha256(convert_to('copy ' || n % ${(rows * 2) / 5}, 'UTF8')) as digest
      from generate_series(1, ${rows}::int) n
    ), content as (
      insert into original (sha256, size, path)
      select distinct on (digest) digest, ${COPY_BYTES}::int, ${COPIES} || '/' || n || '.jpg' from made
    ), item as (
      insert into asset (id, owner_id, library_id, folder, type, sha256, sha1, file_name, file_size,
        taken_at, local_taken_at, file_modified_at, is_copy)
      select id, ${external!['owner_id']}, ${external!['id']}, ${COPIES}, 'IMAGE', digest,
        substring(digest for 20), n || '.jpg', ${COPY_BYTES}::int, now(), now(), now(), true
      from made
    )
    insert into library_file (library_id, path, size, modified_us, inode, sha256, asset_id)
    select ${external!['id']}, ${COPIES} || '/' || n || '.jpg', ${COPY_BYTES}::int, n, n, digest, id from made`;
  await sql`analyze`;
  await request('POST /admin/physical-deduplication/preview', {});
  const [plan] = await sql`select id from deduplication_plan`;
  const cpuBefore = databaseCpuMs(library.name);
  const seconds = (await timed(() => makePlan(deps, plan!['id']))) / 1000;
  const cpuMs = databaseCpuMs(library.name) - cpuBefore;
  const page = () => request('GET /admin/physical-deduplication/preview?limit=50');
  const { fingerprint, id: planId, groups } = (await page()).plan;
  const [{ retained, copies }] = groups;
  for (const { path } of [retained, ...copies]) createCopy(path);
  const decisions = [{ copyId: copies[0].id, decision: 'approve' }];
  const review = () =>
    request('POST /admin/physical-deduplication/plan/review', { planId, fingerprint, decisions });
  return {
    rows,
    'preview, s': round(seconds),
    'preview, database CPU s': round(cpuMs / 1000),
    'first page, ms': round(await timed(page)),
    'review, s': round((await timed(review)) / 1000),
  };
}
const deduplication = await previewCopies(copies);

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
      deduplication,
    },
    null,
    2,
  )}\n`,
);
await close();
await dropLibrary('bench_library');
rmSync(root, { recursive: true });
