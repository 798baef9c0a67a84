import { join } from 'node:path';
import sharp from 'sharp';
import { FULL_FILE_ACCESS } from '../support/file-access.ts';
import { createExifTool } from '../../src/media/exiftool.ts';
import { renderImage } from '../../src/media/images.ts';
import { readMetadata } from '../../src/media/metadata.ts';
import { jpegPreviewSize } from '../../src/media/sizes.ts';
import { getGeocoder } from '../../src/media/places.ts';
import { openFixtures, photoLikeJpeg, tag } from '../fixtures/index.ts';

/**
 * Processor time per stage for a 12 MP JPEG, beside the same files through plain libvips.
 *   bun test/bench/media.bench.ts [rounds] [photo.jpg]
 */
const rounds = Number(process.argv[2] ?? 15);
const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });

type Row = { stage: string; cpuMs: number; wallMs: number };
const table: Row[] = [];

/** Own time plus that of children that ended: libvips and ffmpeg run as such. */
async function measure(stage: string, work: () => unknown): Promise<void> {
  await work();
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  for (let round = 0; round < rounds; round++) await work();
  const used = process.cpuUsage(cpu);
  table.push({
    stage,
    cpuMs: round1((used.user + used.system) / 1000 / rounds),
    wallMs: round1((performance.now() - wall) / rounds),
  });
}

/** A child that ends with each round: its own account of its time. */
function measureTool(stage: string, command: string[]): void {
  let [micros, wall] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const { resourceUsage } = Bun.spawnSync(command, {
      env: { ...process.env, VIPS_CONCURRENCY: '1' },
    });
    micros += Number(resourceUsage.cpuTime.total);
    wall += performance.now() - started;
  }
  table.push({ stage, cpuMs: round1(micros / 1000 / rounds), wallMs: round1(wall / rounds) });
}

const round1 = (value: number) => Math.round(value * 10) / 10;

async function benchPhoto(path: string, label: string): Promise<void> {
  const options = { fileName: 'photo.jpg', fallbackTime: new Date(), ownerZone: 'UTC' };
  await measure(`${label}: all pictures`, () =>
    renderImage(path, { fileName: path, tempDir: fixtures.folder }),
  );
  await measure(`${label}: metadata, without exiftool itself`, () =>
    readMetadata(exiftool, path, options),
  );
}

const given = process.argv[3];
const photo = given ?? fixtures.path('photo.jpg');
if (!given) {
  await Bun.write(photo, await photoLikeJpeg());
  tag(
    photo,
    '-Make=Canon',
    '-DateTimeOriginal=2024:01:02 03:04:05',
    '-GPSLatitude=48.8',
    '-GPSLatitudeRef=N',
    '-GPSLongitude=2.3',
    '-GPSLongitudeRef=E',
  );
}
const wide = fixtures.path('p3.jpg');
await sharp(photo).withIccProfile('p3').jpeg({ quality: 92 }).toFile(wide);

await benchPhoto(photo, 'sRGB');
await benchPhoto(wide, 'Display P3');
const shown = jpegPreviewSize(await sharp(photo).metadata());
const makePreview = () =>
  new Bun.Image(photo).resize(shown.width, shown.height).jpeg({ quality: 80 }).buffer();
const preview = await makePreview();
await measure('  of it: decode, scale, preview JPEG', makePreview);
await measure('  of it: thumbnail pixels', () => sharp(preview).resize(333, 250).raw().toBuffer());
const geocoder = await getGeocoder();
await measure('1000 places', () => {
  for (let step = 0; step < 1000; step++) geocoder.reverse(48 + step / 1000, 2 + step / 500);
});
measureTool('vipsthumbnail 1920x1440', [
  'vipsthumbnail',
  photo,
  '--size',
  '1920x1440',
  '-o',
  join(fixtures.folder, 'v.jpg[Q=80]'),
]);
measureTool('vipsthumbnail 333x250', [
  'vipsthumbnail',
  photo,
  '--size',
  '333x250',
  '-o',
  join(fixtures.folder, 'v.webp[Q=80]'),
]);
measureTool('exiftool, one process per file', ['exiftool', '-j', photo]);

const bytes = Bun.file(photo).size;
await exiftool.close();
fixtures.remove();
console.table(table);
console.log(JSON.stringify({ bench: 'media', rounds, bytes, rows: table }));
