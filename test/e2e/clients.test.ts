import { afterAll, beforeAll, expect } from 'bun:test';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AssetMediaSize,
  checkBulkUpload,
  createAlbum,
  getAlbumInfo,
  getAllAlbums,
  getAssetInfo,
  getAssetStatistics,
  getMyUser,
  getServerVersion,
  getTimeBuckets,
  init,
  searchAssets,
  updateAsset,
  viewAsset,
} from '@immich/sdk';
import sharp from 'sharp';
import { journey } from '../support/journey.ts';
import { type RunningServer, signUp, startServer, until } from './server.ts';
import { MEDIA, skipWithout } from '../support/requirements.ts';

// The unmodified CLI and SDK of Immich against this server.

const ROOT = join(import.meta.dir, '../..');
/** Node from npm, since the CLI needs a newer version than Debian has. */
const NODE = join(ROOT, `node_modules/node-linux-${process.arch}/bin/node`);
const CLI = join(ROOT, 'node_modules/@immich/cli/bin/immich');
const PHONE_FILES = ['IMG_3580.JPG', 'IMG_3589.HEIC', 'IMG_3589.mov'];

let server: RunningServer;
let account: Awaited<ReturnType<typeof signUp>>;
let home: string;
let photos: string;
let fileCount: number;

beforeAll(async () => {
  server = await startServer();
  account = await signUp(server.url);
  home = await mkdtemp(join(tmpdir(), 'immich-cli-'));
  photos = join(home, 'Holiday in Rome');
  await mkdir(join(photos, 'day two'), { recursive: true });
  for (const [index, color] of ['#c33', '#3c3', '#33c', '#cc3'].entries()) {
    const folder = index < 2 ? photos : join(photos, 'day two');
    await sharp({ create: { width: 640, height: 480, channels: 3, background: color } })
      .withExif({ IFD2: { DateTimeOriginal: `2024:0${index + 1}:15 10:00:00` } })
      .jpeg()
      .toFile(join(folder, `photo ${index}.jpg`));
  }
  fileCount = readdirSync(photos, { recursive: true }).filter((name) =>
    /\.\w+$/.test(String(name)),
  ).length;
  init({ baseUrl: `${server.url}/api`, apiKey: account.apiKey });
}, 300_000);
afterAll(async () => {
  // Else it waits for its jobs.
  server?.process.kill('SIGKILL');
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

async function cli(...args: string[]): Promise<string> {
  const child = Bun.spawn([NODE, CLI, '--config-directory', join(home, 'config'), ...args], {
    env: { ...process.env, HOME: home, NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`immich ${args.join(' ')}: ${out}\n${err}`);
  return out + err;
}

const { step } = journey('the CLI uploads a folder, and the SDK reads and changes it', 300_000);

step(
  'the CLI logs in with an API key',
  async () => {
    const words = await cli('login', server.url, account.apiKey);
    expect(words).toContain('Logged in as admin@example.com');
    expect(existsSync(join(home, 'config/auth.yml'))).toBe(true);
  },
  300_000,
);

step(
  'the CLI uploads a folder recursively into albums and skips all files as duplicates the second time',
  async () => {
    const first = await cli('upload', '--recursive', '--album', photos);
    expect(first).toContain(`Successfully uploaded ${fileCount} new assets`);
    const albums = await getAllAlbums({});
    expect(albums.map((album) => album.albumName)).toContain('Holiday in Rome');

    const second = await cli('upload', '--recursive', '--album', photos);
    expect(second).toContain('All assets were already uploaded');
    expect((await getAllAlbums({})).length).toBe(albums.length);
  },
  300_000,
);

step(
  'the CLI prints the statistics of the server',
  async () => {
    const words = await cli('server-info');
    expect(words).toContain('3.2.2');
    expect(words).toMatch(/Images: \d+/);
    expect(words).toContain('admin@example.com');
  },
  300_000,
);

step(
  'the SDK reads what the CLI uploaded',
  async () => {
    expect(await getServerVersion()).toMatchObject({ major: 3, minor: 2, patch: 2 });
    expect(await getMyUser()).toMatchObject({ email: account.email, isAdmin: true });

    const [asset] = await until('the date of a photo', async () => {
      const { assets } = await searchAssets({
        metadataSearchDto: { originalFileName: 'photo 0.jpg', withExif: true },
      });
      return assets.items.some(({ localDateTime, thumbhash }) => {
        return thumbhash && localDateTime.startsWith('2024-01-15T10:00');
      })
        ? assets.items
        : undefined;
    });
    expect(asset).toMatchObject({ type: 'IMAGE', width: 640, height: 480, isTrashed: false });
    expect(await getAssetInfo({ id: asset!.id })).toMatchObject({
      originalFileName: 'photo 0.jpg',
      originalMimeType: 'image/jpeg',
    });

    const thumbnail = await viewAsset({ id: asset!.id, size: AssetMediaSize.Thumbnail });
    const { width, height } = await sharp(await thumbnail.arrayBuffer()).metadata();
    expect(Math.min(width, height)).toBe(250);

    const { results } = await checkBulkUpload({
      assetBulkUploadCheckDto: { assets: [{ id: 'mine', checksum: asset!.checksum }] },
    });
    expect(results).toEqual([
      { id: 'mine', action: 'reject', reason: 'duplicate', assetId: asset!.id, isTrashed: false },
    ] as unknown as typeof results);
  },
  300_000,
);

step(
  'the SDK updates an asset, creates an album and reads both',
  async () => {
    const { assets } = await searchAssets({
      metadataSearchDto: { originalFileName: 'photo 1.jpg' },
    });
    const { id } = assets.items[0]!;
    await updateAsset({ id, updateAssetDto: { isFavorite: true, description: 'Trevi' } });
    expect(await getAssetInfo({ id })).toMatchObject({
      isFavorite: true,
      exifInfo: { description: 'Trevi' },
    });

    const album = await createAlbum({ createAlbumDto: { albumName: 'SDK', assetIds: [id] } });
    expect(await getAlbumInfo({ id: album.id })).toMatchObject({ albumName: 'SDK', assetCount: 1 });

    const statistics = await getAssetStatistics({});
    const buckets = await getTimeBuckets({});
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(statistics.total);
  },
  300_000,
);

skipWithout('media').test(
  'the CLI uploads the files of a phone',
  async () => {
    const phone = join(home, 'phone');
    for (const name of PHONE_FILES) await cp(join(MEDIA!, 'iphone-xr', name), join(phone, name));
    await cli('login', server.url, account.apiKey);
    const words = await cli('upload', '--recursive', phone);
    expect(words).toContain(`Successfully uploaded ${PHONE_FILES.length} new assets`);
  },
  300_000,
);
