import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  H264,
  clip,
  createSidecar,
  flat,
  openFixtures,
  orientedJpeg,
  tag,
} from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { createExifTool } from './exiftool.ts';
import { formatExposure, toMetadata, readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS, processes: 2 });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const FALLBACK = new Date('2001-02-03T04:05:06Z');
const OPTIONS = { fileName: 'x.jpg', fallbackTime: FALLBACK, ownerZone: 'Europe/Berlin' };

const read = (path: string, sidecarPath?: string) =>
  readMetadata(exiftool, path, { ...OPTIONS, fileName: path, sidecarPath });

let made = 0;
async function photo(...tags: string[]): Promise<string> {
  const path = fixtures.path(`photo${made++}.jpg`);
  await flat([90, 120, 60]).jpeg().toFile(path);
  return tags.length ? tag(path, ...tags) : path;
}

test('a length in the metadata of a picture is none', () => {
  const found = (fileName: string, Duration: unknown) =>
    toMetadata({ Duration, MIMEType: 'image/x' }, { ...OPTIONS, fileName }).durationMs;
  expect(['a.cr3', 'a.jpg', 'a.JXL', 'a.png'].map((name) => found(name, 1))).toEqual(
    Array(4).fill(undefined),
  );
  expect([0, -1, 1e9, 'soon'].map((value) => found('a.gif', value))).toEqual(
    Array(4).fill(undefined),
  );
});

async function sidecar(...tags: string[]): Promise<string> {
  return createSidecar(fixtures.path(`side${made++}.xmp`), ...tags);
}

test('a QuickTime file gives length, frame rate, codec, size and Apple pair identifier', async () => {
  const apple = 'com.apple.quicktime';
  const keys = [
    '-metadata',
    `${apple}.content.identifier=ABC-123`,
    '-metadata',
    `${apple}.creationdate=2020-04-17T10:03:47-0600`,
  ];
  const path = clip(fixtures.path('live.mov'), ...H264, '-movflags', 'use_metadata_tags', ...keys);

  expect(await read(path)).toMatchObject({
    mimeType: 'video/quicktime',
    contentIdentifier: 'ABC-123',
    durationMs: 1000,
    fps: 25,
    codec: 'avc1',
    width: 320,
    height: 180,
    dateSource: 'CreationDate',
    motionPhoto: undefined,
  });
});

test('camera, lens and exposure are typed', async () => {
  const path = await photo(
    '-Make=Canon',
    '-Model=5100',
    '-LensModel=EF 50mm',
    '-FNumber=1.8',
    '-FocalLength=50',
    '-ISO=400',
    '-ExposureTime=0.004',
    '-Rating=4',
    '-ImageDescription=A day out',
    '-Keywords=a',
    '-Keywords=b',
  );
  expect(await read(path)).toMatchObject({
    make: 'Canon',
    // exiftool prints it as a number.
    model: '5100',
    lensModel: 'EF 50mm',
    fNumber: 1.8,
    focalLength: 50,
    iso: 400,
    exposureTime: '1/250',
    rating: 4,
    description: 'A day out',
    tags: ['a', 'b'],
    bitsPerSample: 8,
    mimeType: 'image/jpeg',
    width: 96,
    height: 64,
  });
});

test('an ISO above what 16 bits hold is read where EXIF 2.3 has it', () => {
  const read = (tags: Record<string, unknown>) => toMetadata(tags, OPTIONS).iso;
  expect([
    read({ ISO: 65_535, RecommendedExposureIndex: 102_400 }),
    read({ ISO: 65_535, StandardOutputSensitivity: 204_800 }),
    read({ ISO: 65_535, ISOSpeed: 409_600, RecommendedExposureIndex: 0 }),
    read({ ISOSpeed: 800 }),
    read({ ISO: 65_535, RecommendedExposureIndex: 100 }),
    read({ ISO: 400, RecommendedExposureIndex: 200 }),
  ]).toEqual([102_400, 204_800, 409_600, 800, 65_535, 400]);
});

test('a projection is that of Photo Sphere, Spherical Video or Matroska, unless it is shown flat', () => {
  const read = (tags: Record<string, unknown>) => toMetadata(tags, OPTIONS).projectionType;
  const sphere = { ProjectionType: 'equirectangular' };
  const flat = [
    { ...sphere, UsePanoramaViewer: false },
    { ...sphere, UsePanoramaViewer: 'False' },
  ];
  expect([...flat, { ProjectionType: 'Rectangular' }, {}].map(read)).toEqual(
    Array(4).fill(undefined),
  );
  const shown = [sphere, { ...sphere, UsePanoramaViewer: true }, { ProjectionBoundsTop: 0 }];
  expect(shown.map(read)).toEqual(Array(3).fill('EQUIRECTANGULAR'));
});

test('the stars of Windows on a film are those of a picture', () => {
  const read = (SharedUserRating: number) => toMetadata({ SharedUserRating }, OPTIONS).rating;
  expect([1, 25, 50, 75, 99].map(read)).toEqual([1, 2, 3, 4, 5]);
});

test('exposure times are written as on a camera', () => {
  expect([1 / 8000, 0.0166667, 0.25, 0.3, 0.5, 1, 2.5, 30].map(formatExposure)).toEqual([
    '1/8000',
    '1/60',
    '1/4',
    '0.3',
    '0.5',
    '1',
    '2.5',
    '30',
  ]);
  expect(formatExposure(undefined)).toBeUndefined();
});

test('the size is as displayed', async () => {
  const path = await orientedJpeg(fixtures.path('turned.jpg'), 6);
  expect(await read(path)).toMatchObject({ width: 320, height: 200, orientation: 6 });
});

test('omits invalid positions', () => {
  const at = (GPSLatitude: unknown, GPSLongitude: unknown) => {
    const { latitude, longitude } = toMetadata({ GPSLatitude, GPSLongitude }, OPTIONS);
    return [latitude, longitude];
  };
  expect(at(40.7, -74)).toEqual([40.7, -74]);
  for (const [latitude, longitude] of [
    [0, 0],
    [91, 0],
    [10, 181],
    ['', ''],
    [5, undefined],
    ['x', 3],
    [NaN, 1],
  ])
    expect(at(latitude, longitude)).toEqual([undefined, undefined]);
});

test('ratings of every kind end between -1 and 5', () => {
  const rating = (tags: Record<string, unknown>) => toMetadata(tags, OPTIONS).rating;
  expect(rating({ Rating: 3 })).toBe(3);
  expect(rating({ Rating: -1 })).toBe(-1);
  expect([1, 12, 13, 25, 50, 75, 87, 99].map((RatingPercent) => rating({ RatingPercent }))).toEqual(
    [1, 1, 2, 2, 3, 4, 4, 5],
  );
  expect(rating({ RatingPercent: 99 })).toBe(5);
  expect(rating({ Rating: 1000 })).toBeUndefined();
  expect(rating({ Rating: 'good' })).toBeUndefined();
});

test('keeps descriptions, also those set by cameras, and drops blank ones', () => {
  const said = (text: string) => toMetadata({ ImageDescription: text }, OPTIONS).description;
  for (const text of ['SONY DSC', 'OLYMPUS DIGITAL CAMERA', 'Samsung store in Seoul'])
    expect(said(text)).toBe(text);
  expect(said('   ')).toBeUndefined();
});

test('hierarchical tags replace flat keywords that repeat them', () => {
  const { tags } = toMetadata(
    {
      Subject: ['Kyoto', 'Dog'],
      Keywords: 'Dog',
      HierarchicalSubject: ['Travel|Japan|Kyoto'],
      TagsList: ['Travel/Japan/Kyoto', ' / '],
    },
    OPTIONS,
  );
  expect(tags).toEqual(['Travel|Japan|Kyoto', 'Dog']);
});

describe('an XMP sidecar', () => {
  test('overrides the members that it has, and leaves the rest', async () => {
    const own = await photo(
      '-DateTimeOriginal=2023:07:04 21:30:15',
      '-SubSecTimeOriginal=500',
      '-Make=Canon',
      '-Rating=2',
      '-ImageDescription=old',
    );
    const beside = await sidecar(
      '-XMP-photoshop:DateCreated=1999:12:31 23:59:58',
      '-XMP-xmp:Rating=5',
      '-XMP-dc:Description=new',
      '-XMP-tiff:Orientation=6',
    );
    const found = await read(own, beside);
    expect(found).toMatchObject({
      localTakenAt: '1999-12-31T23:59:58.000',
      rating: 5,
      description: 'new',
      make: 'Canon',
      mimeType: 'image/jpeg',
      width: 96,
    });
    // The pixels are turned by their own file only.
    expect(found.orientation).toBeUndefined();
  });

  test('without a date leaves the date of the file', async () => {
    const own = await photo('-DateTimeOriginal=2023:07:04 21:30:15');
    expect((await read(own, await sidecar('-XMP-xmp:Rating=1'))).localTakenAt).toBe(
      '2023-07-04T21:30:15.000',
    );
  });
});

skipWithout('media').describe('files of real cameras', () => {
  const real = (name: string) => read(join(MEDIA!, name));

  test('a live photo and its video name the same pair and the same moment', async () => {
    const [still, video] = [
      await real('iphone-xr/IMG_3589.HEIC'),
      await real('iphone-xr/IMG_3589.mov'),
    ];
    expect(still.contentIdentifier).toBe('1EA799FF-8384-4BC4-87AA-139A814D9125');
    expect(video.contentIdentifier).toBe(still.contentIdentifier);
    expect(video).toMatchObject({
      durationMs: 2937,
      codec: 'hvc1',
      zone: 'UTC-6',
      dateSource: 'CreationDate',
    });
    expect(Math.abs(video.takenAt.getTime() - still.takenAt.getTime())).toBeLessThan(2000);
  });

  test('a burst shares its identifier', async () => {
    const [first, second] = [
      await real('iphone-xr/IMG_3580.JPG'),
      await real('iphone-xr/IMG_3584.JPG'),
    ];
    expect(first.burstId).toBeString();
    expect(second.burstId).toBe(first.burstId);
    expect(first.contentIdentifier).toBeUndefined();
  });

  test('named faces lie at the same place, however the file is turned', async () => {
    const [plain, turned] = [
      await real('metadata/faces/portrait.jpg'),
      await real('metadata/faces/portrait-orientation-6.jpg'),
    ];
    expect(plain.faces.map((face) => face.name)).toEqual(['Marie Curie', 'Pierre Curie']);
    for (const [index, face] of plain.faces.entries())
      for (const side of ['x', 'y', 'width', 'height'] as const)
        expect(turned.faces[index]![side]).toBeCloseTo(face[side], 3);
    expect(turned.tags).toEqual(['People|Marie Curie', 'People|Pierre Curie']);
  });

  test('an HEIC of Samsung is a motion photo, shown upright', async () => {
    expect(await real('formats/motionphoto/samsung-one-ui-6.heic')).toMatchObject({
      motionPhoto: { fromEnd: 3_226_668 },
      width: 3000,
      height: 4000,
      zone: 'UTC-8',
    });
  });

  test('an empty position is none, and a place gives its zone', async () => {
    expect((await real('metadata/gps-position/empty_gps.jpg')).latitude).toBeUndefined();
    expect(await real('metadata/dates/datetimeoriginal-gps.jpg')).toMatchObject({
      zone: 'America/Denver',
      localTakenAt: '2025-12-01T11:30:00.000',
      takenAt: new Date('2025-12-01T18:30:00Z'),
    });
  });
});
