import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPaths } from '../../src/core/paths.ts';
import { runningCluster } from '../../src/db/cluster.ts';
import { withConnection } from '../../src/db/databases.ts';
import { withSample } from '../../src/media/tool-samples.ts';
import { openProgress, type SlowFile, uploadFiles } from '../e2e/ingest.ts';
import { signUp, until } from '../e2e/server.ts';
import { makeClip } from '../fixtures/clips.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { effort } from '../support/effort.ts';
import { PARIS, writeTaggedPhoto } from '../support/metadata.ts';
import { linkPrograms, PROGRAM_FAULTS, type ProgramFault } from '../support/replaced-programs.ts';
import { serveFrom } from '../support/served.ts';

// A server takes photos while one tool after the other does not work, and while its disk is away. Afterwards, without a
// command, every item is as if nothing had been.

const folder = mkdtempSync(join(tmpdir(), 'safelight-tool-faults-'));
const programs = linkPrograms(folder, readdirSync('/usr/bin'));
const servers = serveFrom(folder, ['env', `PATH=${programs.bin}`]);
const dataDir = join(folder, 'data');
const paths = dataPaths(dataDir);
afterEach(() => servers.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOOLS = ['perl', 'ffmpeg', 'ffprobe', 'heif-convert', 'dcraw_emu'];
/** In seconds. */
const LENGTH = effort({ quick: 3, full: 30 });

let made = 0;

/** Returns a file for each tool, with bytes of its own. */
async function makeFiles(): Promise<SlowFile[]> {
  const name = `file-${++made}`;
  const photo = await writeTaggedPhoto(join(folder, `${name}.jpg`), [...PARIS, '-Make=Acme']);
  const source = `testsrc=size=64x48:rate=5:duration=${1 + made / 5}`;
  const clip = makeClip(join(folder, `${name}.mp4`), ['-f', 'lavfi', '-i', source]);
  const read = (path: string) => Buffer.concat([readFileSync(path), Buffer.from(name)]);
  const [heic, raw] = [
    await withSample('heic', async (path) => read(path)),
    await withSample('raw', async (path) => read(path)),
  ];
  return [
    { name: `${name}.jpg`, make: () => read(photo) },
    { name: `${name}.mp4`, make: () => read(clip) },
    { name: `${name}.heic`, make: () => heic },
    { name: `${name}.dng`, make: () => raw },
  ];
}

async function loseDisk(): Promise<void> {
  const stores = [paths.originals, paths.derived];
  for (const store of stores) {
    renameSync(store, `${store}.away`);
    mkdirSync(store);
  }
  await Bun.sleep(LENGTH * 1000);
  for (const store of stores) {
    rmSync(store, { recursive: true });
    renameSync(`${store}.away`, store);
  }
}

test('what is uploaded while a tool or the disk is away is processed afterwards as if nothing had been', async () => {
  await addDatabase(dataDir);
  const { url } = await servers.serve('--data', dataDir);
  const { apiKey } = await signUp(url);
  const upload = async () => uploadFiles(url, apiKey, await makeFiles());
  const faults = Object.keys(PROGRAM_FAULTS) as ProgramFault[];
  const query = <T>(
    work: (sql: Parameters<Parameters<typeof withConnection>[1]>[0]) => Promise<T>,
  ) => withConnection(runningCluster(dataDir)!, work);

  for (const [index, tool] of TOOLS.entries()) {
    await upload();
    programs.break(tool, faults[(index + 1) % faults.length]!);
    await upload();
    await until(`a fault of ${tool}`, () =>
      query(async (sql) => (await sql`select from job_fault`).length > 0),
    );
    await Bun.sleep(LENGTH * 1000);
    programs.repair(tool);
  }
  await upload();
  await loseDisk();

  const progress = openProgress({ databaseUrl: runningCluster(dataDir)! });
  await progress.untilDone();
  expect([(await progress.count()).broken, await progress.countFailed()]).toEqual([[], 0]);
  await progress.close();
  const rows = await query(
    (sql) => sql`
      select local_taken_at::date::text as day, make, city, date_source, thumbhash is null as is_hidden
      from asset join asset_exif on asset_id = id where file_name like '%.jpg'`,
  );
  const photo = { day: '2020-06-01', make: 'Acme', city: 'Paris', date_source: 'DateTimeOriginal' };
  expect(rows.map((row) => ({ ...row }))).toEqual(
    Array.from({ length: made }, () => ({ ...photo, is_hidden: false })),
  );
  const failed = await query(
    (sql) => sql`select error from video_enrichment where status = 'failed'`,
  );
  expect([...failed]).toEqual([]);
  const listFaults = () =>
    query(
      (sql) => sql`select name, error, since,
        array(select state || ' ' || faults || ' ' || run_at from job where job.name = job_fault.name) as jobs
      from job_fault`,
    );
  await until('the end of all faults', async () => (await listFaults()).length === 0).catch(
    async ({ message }: Error) => {
      throw new Error(`${message}: ${JSON.stringify(await listFaults())}`);
    },
  );
}, 3_600_000);
