import { expect } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { enqueue } from '../../src/jobs/queue.ts';
import type { TestDatabase } from './harness.ts';
import { drainLane } from './processing.ts';

let made = 0;

/** Tags of a photo that was taken in Paris at noon. */
export const PARIS = [
  '-DateTimeOriginal=2020:06:01 12:00:00',
  '-GPSLatitude=48.8566',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=2.3522',
  '-GPSLongitudeRef=E',
];

/** Runs a tool; fails the test if the tool fails. */
export async function tool(...command: string[]): Promise<void> {
  expect([command[0], await Bun.spawn(command).exited]).toEqual([command[0], 0]);
}

/** Functions to make photos in a folder and to read the metadata of assets. */
export const metadataTools = (get: () => { database: TestDatabase; folder: string }) => ({
  /** A small photo with these tags, written by the real tool. */
  makePhoto: async (name: string, tags: readonly string[]): Promise<string> => {
    const path = join(get().folder, `${++made}-${name}`);
    const size = { width: 40, height: 20 + made };
    await sharp({ create: { ...size, channels: 3, background: '#369' } }).toFile(path);
    await tool('exiftool', '-q', '-overwrite_original', ...tags, path);
    return path;
  },
  read: async (id: string): Promise<void> => {
    const { database } = get();
    await enqueue(database.db, readMetadata, { assetId: id });
    await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  },
  getAssetRow: async (id: string): Promise<any> =>
    (
      await get().database.sql`select *, local_taken_at::text as local from asset where id = ${id}`
    )[0],
  getExifRow: async (id: string): Promise<any> =>
    (await get().database.sql`select * from asset_exif where asset_id = ${id}`)[0],
});
