import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { createSidecar, tag } from '../../../../test/fixtures/tags.ts';
import { useApp } from '../../../../test/support/database.ts';
import { createForm, filePart, upload } from '../../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { metadataTools } from '../../../../test/support/metadata.ts';

const { database, app } = await useApp();
const folder = await mkdtemp(join(tmpdir(), 'safelight-dates-'));
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const { makePhoto, read, getExifRow } = metadataTools(() => ({ database, folder }));

type Upload = {
  readonly name?: string;
  readonly created?: string;
  readonly modified?: string;
  readonly sidecar?: string;
};

/** Uploads a file as a client does, and reads its metadata. Returns its id. */
async function add(path: string, file: Upload = {}): Promise<string> {
  const { name = 'a.jpg', created = '2025-06-07T08:09:10.000Z', modified = created } = file;
  const beside = file.sidecar
    ? [{ ...filePart(await Bun.file(file.sidecar).bytes(), `${name}.xmp`), name: 'sidecarData' }]
    : [];
  const form = createForm([
    { name: 'fileCreatedAt', value: created },
    { name: 'fileModifiedAt', value: modified },
    filePart(await Bun.file(path).bytes(), name),
    ...beside,
  ]);
  const { status, body } = await upload(app, form, { as: me });
  expect(status).toBe(201);
  await read(body.id);
  return body.id;
}

const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;

/** Instant, clock and source of the date that an upload gets. */
async function takenAt(path: string, file?: Upload): Promise<string[]> {
  const id = await add(path, file);
  const { fileCreatedAt, localDateTime } = await get(id);
  return [fileCreatedAt, localDateTime, (await getExifRow(id)).date_source];
}

const at = (instant: string, local: string, source: string) => [
  `${instant}.000Z`,
  `${local}.000Z`,
  source,
];

describe('an uploaded photo is of', () => {
  test.each([
    [
      'the offset that satellite time tells',
      [
        '-DateTimeOriginal=2023:07:04 21:30:15',
        '-GPSDateStamp=2023:07:05',
        '-GPSTimeStamp=01:30:11',
      ],
      at('2023-07-05T01:30:15', '2023-07-04T21:30:15', 'DateTimeOriginal'),
    ],
    [
      'the day of IPTC',
      ['-IPTC:DateCreated=1985:07:14', '-ModifyDate=2019:01:01 10:00:00'],
      at('1985-07-14T10:00:00', '1985-07-14T12:00:00', 'DateCreated'),
    ],
    [
      'the day of XMP',
      ['-XMP-photoshop:DateCreated=1985:07:14'],
      at('1985-07-14T10:00:00', '1985-07-14T12:00:00', 'DateCreated'),
    ],
    [
      'the last change',
      ['-ModifyDate=2003:02:01 10:00:00'],
      at('2003-02-01T09:00:00', '2003-02-01T10:00:00', 'ModifyDate'),
    ],
  ] as const)('%s', async (_, tags, expected) => {
    expect(await takenAt(await makePhoto('a.jpg', tags))).toEqual(expected);
  });

  test('the panorama that an Insta360 has stitched', async () => {
    const xmp = join(folder, 'gpano.xmp');
    await writeFile(
      xmp,
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
        xmlns:GPano="http://ns.google.com/photos/1.0/panorama/"
        GPano:SourceImageCreateTime="2022:05:06 07:08:09"/></rdf:RDF></x:xmpmeta>`,
    );
    const path = await makePhoto('pano.jpg', [`-XMP<=${xmp}`]);
    expect(await takenAt(path)).toEqual(
      at('2022-05-06T05:08:09', '2022-05-06T07:08:09', 'SourceImageCreateTime'),
    );
  });
});

describe('a photo without tags is of', () => {
  const CLIENT = at('2025-06-07T08:09:10', '2025-06-07T10:09:10', 'FileModified');
  test.each([
    ['IMG_20240102_030405.jpg', at('2024-01-02T02:04:05', '2024-01-02T03:04:05', 'FileName')],
    ['PXL_20240102_030405000.jpg', at('2024-01-02T03:04:05', '2024-01-02T04:04:05', 'FileName')],
    ['IMG-20240102-WA0001.jpg', at('2024-01-02T11:00:00', '2024-01-02T12:00:00', 'FileName')],
    [
      'WhatsApp Image 2024-01-02 at 03.04.05.jpg',
      at('2024-01-02T02:04:05', '2024-01-02T03:04:05', 'FileName'),
    ],
    ['1704164645000.jpg', at('2024-01-02T03:04:05', '2024-01-02T04:04:05', 'FileName')],
    ['IMG_20241302_030405.jpg', CLIENT],
    ['IMG_19890102_030405.jpg', CLIENT],
    ['IMG_20250607_100911.jpg', CLIENT],
    ['IMG_20990102_030405.jpg', CLIENT],
    ['holiday.jpg', CLIENT],
  ])('%s', async (name, expected) => {
    const path = await makePhoto('a.jpg', []);
    expect(await takenAt(path, { name })).toEqual(expected);
  });

  test('the earlier of creation and change of the file, which is not before 1990', async () => {
    const modified = '2021-03-04T05:06:07.000Z';
    expect(await takenAt(await makePhoto('a.jpg', []), { modified })).toEqual(
      at('2021-03-04T05:06:07', '2021-03-04T06:06:07', 'FileModified'),
    );
    const unset = '1980-01-01T00:00:00.000Z';
    expect(await takenAt(await makePhoto('a.jpg', []), { modified: unset })).toEqual(CLIENT);
  });

  test('the name, also when it is read again', async () => {
    const id = await add(await makePhoto('a.jpg', []), { name: 'IMG_20240102_030405.jpg' });
    const before = await get(id);
    await read(id);
    const { fileCreatedAt, localDateTime } = await get(id);
    expect([fileCreatedAt, localDateTime]).toEqual([before.fileCreatedAt, before.localDateTime]);
    expect((await getExifRow(id)).date_source).toBe('FileName');
  });
});

describe('a sidecar', () => {
  const OWN = ['-DateTimeOriginal=2020:06:01 12:00:00'];
  const PATH = () => join(folder, `${crypto.randomUUID()}.xmp`);

  test('with a day only corrects the date', async () => {
    const sidecar = createSidecar(PATH(), '-XMP-photoshop:DateCreated=1985:07:14');
    expect(await takenAt(await makePhoto('a.jpg', OWN), { sidecar })).toEqual(
      at('1985-07-14T10:00:00', '1985-07-14T12:00:00', 'DateCreated'),
    );
  });

  test('that was changed tells nothing of the photo', async () => {
    const sidecar = createSidecar(PATH(), '-XMP-xmp:ModifyDate=2024:01:02 03:04:05');
    expect(await takenAt(await makePhoto('a.jpg', OWN), { sidecar })).toEqual(
      at('2020-06-01T10:00:00', '2020-06-01T12:00:00', 'DateTimeOriginal'),
    );
    expect(await takenAt(await makePhoto('a.jpg', []), { sidecar })).toEqual(
      at('2025-06-07T08:09:10', '2025-06-07T10:09:10', 'FileModified'),
    );
  });
});

describe('an uploaded video is of', () => {
  let made = 0;
  /** Other pixels each time: the same bytes would be a duplicate. */
  const clip = (...tags: string[]) => {
    const path = join(folder, `clip${++made}.mp4`);
    makeClip(
      path,
      ['-f', 'lavfi', '-i', `color=size=64x48:color=0x0000${made + 10}`].concat('-frames:v', '2'),
    );
    return tags.length > 0 ? tag(path, ...tags) : path;
  };

  test('the clock and zone of CreationDate, then of UTC, then of its name', async () => {
    const utc = '-QuickTime:CreateDate=2023:07:04 22:30:00';
    const keys = '-Keys:CreationDate=2023:07:04 18:30:00-04:00';
    expect(await takenAt(clip(utc, keys), { name: 'a.mp4' })).toEqual(
      at('2023-07-04T22:30:00', '2023-07-04T18:30:00', 'CreationDate'),
    );
    expect(await takenAt(clip(utc), { name: 'VID_20200102_030405.mp4' })).toEqual(
      at('2023-07-04T22:30:00', '2023-07-05T00:30:00', 'CreateDate'),
    );
    expect(await takenAt(clip(), { name: 'VID_20240102_030405.mp4' })).toEqual(
      at('2024-01-02T02:04:05', '2024-01-02T03:04:05', 'FileName'),
    );
  });
});

describe('a date in the future', () => {
  test('is shown, and sorted at the upload', async () => {
    const tags = ['-DateTimeOriginal=2031:02:03 04:05:06', '-OffsetTimeOriginal=+00:00'];
    const id = await add(await makePhoto('a.jpg', tags));
    const asset = await get(id);
    expect(asset.exifInfo.dateTimeOriginal).toBe('2031-02-03T04:05:06+00:00');
    expect(asset.fileCreatedAt).toBe(asset.createdAt);
    const [row] = await database.sql`
      select date_trunc('milliseconds', created_at at time zone 'Europe/Berlin') = local_taken_at as same
      from asset where id = ${id}`;
    expect(row!['same']).toBe(true);
    const { body: buckets } = await call(app, 'GET /timeline/buckets', { as: me });
    expect(
      buckets.map(({ timeBucket }: { timeBucket: string }) => timeBucket.slice(0, 4)),
    ).not.toContain('2031');
  });

  test('of tomorrow in another zone is a date', async () => {
    const tags = ['-DateTimeOriginal=2026:01:02 17:00:00', '-OffsetTimeOriginal=+00:00'];
    expect(await takenAt(await makePhoto('a.jpg', tags))).toEqual(
      at('2026-01-02T17:00:00', '2026-01-02T17:00:00', 'DateTimeOriginal'),
    );
  });

  test('that the client sends is sorted at the upload', async () => {
    const id = await add(await makePhoto('a.jpg', []), { created: '2040-01-01T00:00:00.000Z' });
    const asset = await get(id);
    expect(asset.fileCreatedAt).toBe(asset.createdAt);
  });

  test.each([
    [
      ['-DateTimeOriginal=2031:01:15 12:00:00'],
      '2024-01-16T11:00:00.000Z',
      '2024-01-16T12:00:00.000Z',
    ],
    [
      ['-DateTimeOriginal=2031:07:15 12:00:00', '-OffsetTimeOriginal=+05:30'],
      '2024-07-15T06:30:00.000Z',
      '2024-07-15T12:00:00.000Z',
    ],
  ] as const)('is shifted from what the file says', async (tags, instant, local) => {
    const id = await add(await makePhoto('a.jpg', tags));
    const days = Math.round((Date.UTC(2024, 0, 16) - Date.UTC(2031, 0, 15)) / 86_400_000);
    const past = await add(await makePhoto('b.jpg', ['-DateTimeOriginal=2020:06:01 12:00:00']));
    const body = { ids: [id, past], dateTimeRelative: days * 1440 };
    expect((await call(app, 'PUT /assets', { as: me, body })).status).toBe(204);
    const { fileCreatedAt, localDateTime, exifInfo } = await get(id);
    expect([fileCreatedAt, localDateTime]).toEqual([instant, local]);
    expect(new Date(exifInfo.dateTimeOriginal).toISOString()).toBe(instant);
    expect((await get(past)).localDateTime).toBe('2013-06-02T12:00:00.000Z');
    await read(id);
    expect((await get(id)).fileCreatedAt).toBe(instant);
  });

  test('that the owner corrects is where the owner says', async () => {
    const id = await add(await makePhoto('a.jpg', ['-DateTimeOriginal=2031:02:03 04:05:06']));
    const dateTimeOriginal = '2013-02-03T04:05:06.000+01:00';
    await call(app, `PUT /assets/${id}`, { as: me, body: { dateTimeOriginal } });
    await read(id);
    expect((await get(id)).localDateTime).toBe('2013-02-03T04:05:06.000Z');
  });
});
