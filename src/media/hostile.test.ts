import { afterAll, describe, expect, test } from 'bun:test';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { flat, openFixtures, tag, createNoise } from '../../test/fixtures/index.ts';
import { createExifTool } from './exiftool.ts';
import { toMetadata, readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const FALLBACK = new Date('2001-02-03T04:05:06Z');
const OPTIONS = { fileName: 'x.jpg', fallbackTime: FALLBACK, ownerZone: 'Europe/Berlin' };

const read = (path: string) => readMetadata(exiftool, path, { ...OPTIONS, fileName: path });

let made = 0;
async function photo(...tags: string[]): Promise<string> {
  const path = fixtures.path(`photo${made++}.jpg`);
  await flat([90, 120, 60]).jpeg().toFile(path);
  return tags.length ? tag(path, ...tags) : path;
}

describe('motion photos', () => {
  const motion = (tags: Record<string, unknown>) => toMetadata(tags, OPTIONS).motionPhoto;
  const item = (Semantic: string, Length: number, Padding = 0) => ({
    Item: { Semantic, Length, Padding },
  });

  test('say where their video is, or only that they have one', () => {
    expect(motion({ MotionPhotoVideo: '(Binary data 9 bytes)' })).toEqual({});
    expect(motion({ EmbeddedVideoType: 'MotionPhoto_Data' })).toEqual({});
    expect(motion({ MotionPhoto: 1 })).toEqual({});
    expect(motion({ MotionPhoto: 1, ContainerDirectory: [item('Primary', 0)] })).toEqual({});
    expect(motion({ MicroVideo: 1, MicroVideoOffset: -5 })).toEqual({});
    expect(motion({ MicroVideo: 1, MicroVideoOffset: 4096 })).toEqual({ fromEnd: 4096 });
    const items = [item('Primary', 0), item('MotionPhoto', 700), item('GainMap', 50, 2)];
    expect(motion({ MotionPhoto: 1, ContainerDirectory: items })).toEqual({ fromEnd: 752 });
    expect(motion({ ContainerDirectory: items })).toEqual({ fromEnd: 752 });
    expect(motion({ Directory: '/etc', MotionPhoto: 1 })).toEqual({});
  });

  test('ignores files that only resemble motion photos', () => {
    expect(motion({ MicroVideoOffset: 4096 })).toBeUndefined();
    expect(motion({ EmbeddedVideoType: 'Other' })).toBeUndefined();
    expect(motion({ MotionPhoto: 0, MicroVideo: 1, MicroVideoOffset: 4096 })).toBeUndefined();
  });
});

describe('hostile metadata', () => {
  test('huge texts and lists are cut, control characters and half characters removed', () => {
    const found = toMetadata(
      {
        ImageDescription: `${'x'.repeat(5_000_000)}`,
        Make: 'A\u0000B\u0007\uD800',
        Subject: Array.from({ length: 100_000 }, (_, index) => `t${index}`),
        RegionInfo: {
          RegionList: Array.from({ length: 100_000 }, () => ({
            Area: { X: 0.5, Y: 0.5, W: 0.1, H: 0.1 },
          })),
        },
      },
      OPTIONS,
    );
    expect(found.description!.length).toBe(10_000);
    expect(found.make).toBe('AB\uFFFD');
    expect(found.tags).toHaveLength(500);
    expect(found.faces).toHaveLength(200);
    expect(JSON.stringify(found).length).toBeLessThan(50_000);
  });

  test('values of the wrong shape are left out', () => {
    const odd = { a: [{}] };
    const found = toMetadata(
      {
        Make: odd,
        ISO: 'x',
        FNumber: -3,
        Orientation: 99,
        RegionInfo: 'faces',
        ContainerDirectory: odd,
        MotionPhoto: 1,
        ImageWidth: 1e12,
        Duration: 'inf',
        MIMEType: odd,
        GPSLatitude: odd,
      },
      OPTIONS,
    );
    for (const field of [
      'make',
      'iso',
      'fNumber',
      'orientation',
      'width',
      'latitude',
      'durationMs',
    ] as const)
      expect([field, found[field]]).toEqual([field, undefined]);
    expect(found.motionPhoto).toEqual({});
    expect(found.faces).toEqual([]);
  });

  test('a megabyte of EXIF is read', async () => {
    const path = await photo();
    const comment = fixtures.path('comment.txt');
    await Bun.write(comment, 'y'.repeat(60_000));
    tag(
      path,
      `-UserComment<=${comment}`,
      ...Array.from(
        { length: 15 },
        (_, index) => `-XMP-dc:Creator${index % 2 ? '+' : ''}<=${comment}`,
      ),
    );
    expect((await read(path)).width).toBe(96);
  });

  test('PhotoPrism #1326: reading an EXIF directory that points to itself ends', async () => {
    const path = fixtures.path('cycle.jpg');
    await flat([1, 2, 3]).jpeg().toFile(path);
    const jpeg = Buffer.from(await Bun.file(path).arrayBuffer());
    // One entry, ExifIFD, at the directory itself; the next directory is itself, too.
    const tiff = Buffer.from([
      0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 8,
    ]);
    const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
    const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255]);
    await Bun.write(path, Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]));
    expect((await read(path)).width).toBe(96);
  });

  test('empty files and garbage do not crash', async () => {
    for (const content of ['', 'text', createNoise('hostile', 3000)]) {
      await Bun.write(fixtures.path('odd.jpg'), content);
      expect((await read(fixtures.path('odd.jpg'))).dateSource).toBe('FileModified');
    }
  });
});
