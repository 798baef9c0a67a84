import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import { tag } from '../fixtures/index.ts';
import type { TestDatabase } from './harness.ts';
import { drainLane } from './processing.ts';
import { getAssetRow, getExifRow } from './rows.ts';

let made = 0;

/** Tags of a photo that was taken in Paris at noon. */
export const PARIS = [
  '-DateTimeOriginal=2020:06:01 12:00:00',
  '-GPSLatitude=48.8566',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=2.3522',
  '-GPSLongitudeRef=E',
];

/** Writes a small photo with these tags, which the real tool has written. Returns its path. */
export async function writeTaggedPhoto(path: string, tags: readonly string[]): Promise<string> {
  await sharp({ create: { width: 40, height: 20, channels: 3, background: '#369' } }).toFile(path);
  if (tags.length > 0) tag(path, ...tags);
  // Behind its end a file may have anything: so it is another one each time.
  await appendFile(path, String(++made));
  return path;
}

/** Functions to make photos in a folder and to read the metadata of assets. */
export const metadataTools = (get: () => { database: TestDatabase; folder: string }) => ({
  /** A small photo with these tags, written by the real tool. */
  makePhoto: (name: string, tags: readonly string[]): Promise<string> =>
    writeTaggedPhoto(join(get().folder, `${made}-${name}`), tags),
  read: async (id: string): Promise<void> => {
    const { database } = get();
    await enqueue(database.db, readMetadata, { assetId: id });
    await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  },
  getAssetRow: (id: string) => getAssetRow(get().database, id),
  getExifRow: (id: string) => getExifRow(get().database, id),
});
