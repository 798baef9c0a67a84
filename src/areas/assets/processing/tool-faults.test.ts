import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { SHARED_FILE_ACCESS } from '../../../../test/support/file-access.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { PARIS, writeTaggedPhoto } from '../../../../test/support/metadata.ts';
import { addFile, drainLane, openMediaLibrary } from '../../../../test/support/processing.ts';
import { type ProgramFault, replacePrograms } from '../../../../test/support/replaced-programs.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { shareExifTool } from '../../../media/exiftool.ts';
import { withSample } from '../../../media/tool-samples.ts';
import { handlePickFrames } from '../../enrichment/frames/pick.handlers.ts';
import { handleExportFilm } from '../../memories/exports/film.handlers.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';
import { handleExportProject } from '../../studio/exports/export.handlers.ts';
import { handleRenderFrame } from '../../studio/previews/render.handlers.ts';
import { handleMakeOverview } from '../../studio/sources/overview.handlers.ts';
import { handleRenderEdits } from '../edits/edits.handlers.ts';
import { handleReadMetadata } from '../exif/exif.handlers.ts';
import { readMetadata, renderImage, renderVideo } from '../jobs.ts';
import { closeTools } from './media-tools.ts';
import {
  handleRenderImage,
  handleRenderVideo,
  handleTranscodeVideo,
} from './thumbnails.handlers.ts';

// An import during which a tool does not work for a while: afterwards everything is as if nothing had been.

let database: TestDatabase;
let folder: string;
let ownerId: string;
let close: () => Promise<void>;
let programs: ReturnType<typeof replacePrograms>;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
  programs = replacePrograms(folder);
  ownerId = (await seed(database).user()).id;
});
afterAll(async () => {
  programs.restore();
  await close();
});

async function drainAll(): Promise<void> {
  await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  await drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });
  await drainLane(database, 'video', {
    'assets.renderVideo': handleRenderVideo,
    'assets.transcodeVideo': handleTranscodeVideo,
    'enrichment.pickFrames': handlePickFrames,
    'memories.exportFilm': handleExportFilm,
    'studio.exportProject': handleExportProject,
    'studio.makeOverview': handleMakeOverview,
    'studio.renderFrame': handleRenderFrame,
  });
}

let made = 0;

/** Files that all tools are needed for, each with its own bytes. */
async function importFiles(): Promise<string[]> {
  const [photo, clip] = [join(folder, `${++made}.jpg`), join(folder, `${made}.mp4`)];
  await writeTaggedPhoto(photo, [...PARIS, '-Make=Acme']);
  const source = `testsrc=size=64x48:rate=5:duration=${1 + made / 5}`;
  makeClip(clip, ['-f', 'lavfi', '-i', source, '-pix_fmt', 'yuv420p']);
  const copies = (['heic', 'raw'] as const).map((name) =>
    withSample(name, async (path) => {
      const copy = join(folder, `${made}.${name === 'raw' ? 'dng' : 'heic'}`);
      const bytes = await Bun.file(path).bytes();
      writeFileSync(copy, Buffer.concat([bytes, Buffer.from(String(made))]));
      return copy;
    }),
  );
  const ids: string[] = [];
  for (const path of [photo, clip, ...(await Promise.all(copies))]) {
    const assetId = await addFile(database, path, { ownerId });
    await enqueue(database.db, readMetadata, { assetId });
    const render = path === clip ? renderVideo : renderImage;
    await enqueue(database.db, render, { assetId });
    ids.push(assetId);
  }
  return ids;
}

const listRows = async (ids: readonly string[]) =>
  (
    await database.sql`
    select type, broken_reason, metadata_read_at is not null as is_read, thumbhash is not null as is_shown,
      local_taken_at::date::text as day, make, date_source
    from asset left join asset_exif on asset_id = id where id = any(${ids as string[]})
    order by array_position(${ids as string[]}, id)`
  ).map((row) => ({ ...row }));

const REST = { broken_reason: null, is_read: true, is_shown: true };
const PROCESSED = [
  { ...REST, type: 'IMAGE', day: '2020-06-01', make: 'Acme', date_source: 'DateTimeOriginal' },
  { ...REST, type: 'VIDEO' },
  { ...REST, type: 'IMAGE' },
  { ...REST, type: 'IMAGE', make: 'abc' },
];

const PROGRAMS = ['perl', 'ffmpeg', 'ffprobe', 'heif-convert', 'dcraw_emu', 'bun'];
/** The others are tried on each tool alone: see src/media/tool-proof-faults.test.ts. */
const FAULTS: readonly ProgramFault[] = [
  'cannot be executed',
  'has a library of another version',
  'is killed at its start',
];
const CASES = PROGRAMS.flatMap((program) => FAULTS.map((fault) => [program, fault] as const));

test.each(CASES)('%s %s during an import', async (program, fault) => {
  await database.sql`truncate job, job_fault`;
  shareExifTool({ files: SHARED_FILE_ACCESS });
  await closeTools();
  const ids = await importFiles();
  programs.break(program, fault);
  try {
    // More often than a job has attempts.
    for (let round = 0; round < 4; round++) await drainAll();
    const rows = await listRows(ids);
    expect(rows.map((row) => row['broken_reason'])).toEqual([null, null, null, null]);
    const faults = await database.sql`select name, error from job_fault`;
    expect([...faults]).not.toEqual([]);
    const jobs =
      await database.sql`select state, failures from job where state = 'failed' or failures > 0`;
    expect([...jobs]).toEqual([]);
  } finally {
    programs.repair(program);
  }
  await drainAll();
  expect(await listRows(ids)).toMatchObject(PROCESSED);
  expect([...(await database.sql`select name from job_fault`)]).toEqual([]);
  const left = await database.sql`select name, last_error from job where lane <> 'inference'`;
  expect([...left]).toEqual([]);
});
