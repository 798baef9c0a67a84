import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { type Fixtures, openFixtures, run, tag } from '../../../../test/fixtures/index.ts';
import {
  type Caller,
  seed,
  send,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addFile } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { sharedLinkAssets, sharedLinks } from '../../../db/tables/albums.ts';
import { partners } from '../../../db/tables/identity.ts';

let database: TestDatabase;
let app: App;
let made: Fixtures;
let owner: TestUser;
let partner: TestUser;
let placeless: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  made = openFixtures();
  const user = () => seed(database).user();
  [owner, partner, placeless] = [await user(), await user(), await user()];
  await database.db.insert(partners).values([
    { sharerId: owner.id, viewerId: partner.id },
    { sharerId: owner.id, viewerId: placeless.id, hidesPlaces: true },
  ]);
});
afterAll(async () => {
  made.remove();
  await database.close();
});

/** The metadata values of the clip below that reveal its location. */
const SAID = ['+48.2082', '+48.2083', 'lat 48.2084', 'sei 48.2085', 'Stephansplatz'];

let clips = 0;

/** Creates a clip of 2 s with sound, rotated by 90°, with its location in every metadata field. */
async function clipWithPlaces(): Promise<string> {
  clips += 1;
  const notes = made.path(`notes${clips}.srt`);
  await Bun.write(notes, '1\n00:00:00,000 --> 00:00:01,000\nlat 48.2084, lon 16.3738\n');
  const chapters = made.path(`chapters${clips}.txt`);
  await Bun.write(
    chapters,
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=Stephansplatz\n',
  );
  const picture = ['-f', 'lavfi', '-i', `testsrc=size=320x${180 + 2 * clips}:rate=10:duration=2`];
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=2'];
  const texts = ['-i', notes, '-i', chapters];
  const mapped = ['-map', '0', '-map', '1', '-map', '2', '-map_chapters', '3'];
  const note = 'sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+sei 48.2085';
  const coding = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-c:s', 'mov_text'];
  const tags = ['-bsf:v', `h264_metadata=${note}`];
  const inputs = [...picture, ...sound, ...texts, ...mapped];
  return tag(
    makeClip(made.path(`clip${clips}.mp4`), [...inputs, ...coding, ...tags]),
    '-Rotation=270',
    '-UserData:GPSCoordinates=48.2082 16.3738 170',
    '-Keys:GPSCoordinates=48.2083 16.3738 170',
    '-Keys:Make=Stephansplatz',
  );
}

const addClip = async () => addFile(database, await clipWithPlaces(), { ownerId: owner.id });

async function play(id: string, caller: Caller & { readonly query?: string }) {
  const response = await send(app, `GET /assets/${id}/video/playback${caller.query ?? ''}`, caller);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, bytes, headers: response.headers };
}

type LinkValues = Partial<typeof sharedLinks.$inferInsert>;

async function linkTo(assetId: string, values: LinkValues) {
  const slug = crypto.randomUUID();
  const key = crypto.getRandomValues(new Uint8Array(50));
  const [row] = await database.db
    .insert(sharedLinks)
    .values({ ownerId: owner.id, type: 'INDIVIDUAL', slug, key, ...values })
    .returning();
  await database.db.insert(sharedLinkAssets).values({ linkId: row!.id, assetId });
  return { query: `?slug=${slug}` };
}

const saidBy = (bytes: Buffer) => SAID.filter((text) => bytes.includes(text));
const listFileRows = async (id: string) =>
  (await database.sql`select kind, name from asset_file where asset_id = ${id}`) as unknown as {
    kind: string;
    name: string;
  }[];

/** Everything that exiftool and ffprobe find in the file, also between its frames. */
async function placesIn(bytes: Buffer): Promise<string> {
  const path = made.path('served.mp4');
  await Bun.write(path, bytes);
  return run('exiftool', '-ee3', '-G', '-gps*', '-location*', '-make', path);
}

describe('locations inside a video file', () => {
  test('are sent to its owner and to a partner who may see locations', async () => {
    const id = await addClip();
    const { query } = await linkTo(id, {});
    for (const caller of [{ as: owner }, { as: partner }, { query }]) {
      const { status, bytes } = await play(id, caller);
      expect([status, saidBy(bytes)]).toEqual([200, SAID]);
      expect(await placesIn(bytes)).toContain('GPS Coordinates');
    }
    // No copy is made for them.
    expect(await listFileRows(id)).toEqual([]);
  });

  test('are removed for a partner without access to locations and for a guest without metadata', async () => {
    const id = await addClip();
    const { query } = await linkTo(id, { showMetadata: false });
    for (const caller of [{ as: placeless }, { query }]) {
      const { status, bytes, headers } = await play(id, caller);
      expect([status, headers.get('content-type')]).toEqual([200, 'video/mp4']);
      expect(saidBy(bytes)).toEqual([]);
      expect(await placesIn(bytes)).toBe('');
    }
    expect(await listFileRows(id)).toMatchObject([{ kind: 'bare_video' }]);
    const stranger = await seed(database).user();
    expect((await play(id, { as: stranger })).status).toBe(400);
    // The owner's stays as it is.
    expect(saidBy((await play(id, { as: owner })).bytes)).not.toEqual([]);
  });

  test('are removed for everyone who has access through that partner and for links without downloads', async () => {
    const id = await addClip();
    const member = await seed(database).user();
    const [album] = await database.sql`
      insert into album (owner_id, name) values (${placeless.id}, 'a') returning id`;
    const albumId = album!['id'] as string;
    await database.sql`insert into album_asset (album_id, asset_id, added_by)
      values (${albumId}, ${id}, ${placeless.id})`;
    await database.sql`insert into album_user (album_id, user_id, role)
      values (${albumId}, ${member.id}, 'viewer')`;
    const ofPlaceless = { ownerId: placeless.id };
    const viewOnly = await linkTo(id, { allowDownload: false });
    const links = [
      await linkTo(id, ofPlaceless),
      await linkTo(id, { ...ofPlaceless, type: 'ALBUM', albumId }),
      viewOnly,
    ];
    for (const caller of [{ as: member }, ...links]) {
      const { status, bytes } = await play(id, caller);
      expect([status, saidBy(bytes)]).toEqual([200, []]);
    }
    // By a link of a partner who may know, a guest may.
    const { bytes } = await play(id, await linkTo(id, { ownerId: partner.id }));
    expect(saidBy(bytes)).toEqual(SAID);
  });

  test('can be removed without changing picture, rotation or sound', async () => {
    const id = await addClip();
    const { bytes } = await play(id, { as: placeless });
    await Bun.write(made.path('bare.mp4'), bytes);
    const fields = 'stream=codec_name,width,height,nb_frames:stream_side_data=rotation';
    const probed = JSON.parse(
      run('ffprobe', '-v', 'error', '-of', 'json', '-show_entries', fields, made.path('bare.mp4')),
    );
    expect(probed.streams).toMatchObject([
      { codec_name: 'h264', width: 320, nb_frames: '20', side_data_list: [{ rotation: 90 }] },
      { codec_name: 'aac' },
    ]);
    expect(probed.streams).toHaveLength(2);
  });
});

test('concurrent requests create one copy, which supports ranges and is created again when it is lost', async () => {
  const id = await addClip();
  const all = await Promise.all(Array.from({ length: 5 }, () => play(id, { as: placeless })));
  expect(new Set(all.map(({ status, headers }) => `${status} ${headers.get('etag')}`)).size).toBe(
    1,
  );
  const [{ bytes, headers }] = all as [(typeof all)[0]];
  const [file] = await listFileRows(id);
  const { derived } = database.deps.paths;
  const around = await readdir(dirname(join(derived, file!.name)));
  expect(around.filter((name) => name.startsWith(id))).toHaveLength(1);
  expect(await readdir(join(derived, 'scratch'))).toEqual([]);

  const part = await play(id, { as: placeless, headers: { range: 'bytes=10-19' } });
  expect([part.status, part.bytes]).toEqual([206, bytes.subarray(10, 20)]);
  const headersOfClient = { 'if-none-match': headers.get('etag')! };
  expect((await play(id, { as: placeless, headers: headersOfClient })).status).toBe(304);

  await rm(join(derived, file!.name));
  const again = await play(id, { as: placeless });
  expect([again.status, again.bytes.length]).toEqual([200, bytes.length]);
  expect(saidBy(again.bytes)).toEqual([]);
});

test('returns 404 for a video that needs transcoding first or is unreadable', async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=5:duration=1'];
  const old = makeClip(made.path('old.avi'), [...source, '-c:v', 'mpeg4']);
  const files = [old, { name: 'noise.mp4', bytes: Buffer.alloc(5000, 5) }];
  for (const file of files) {
    const id = await addFile(database, file, { ownerId: owner.id });
    expect((await play(id, { as: owner })).status).toBe(200);
    expect((await play(id, { as: placeless })).status).toBe(404);
    expect(await listFileRows(id)).toEqual([]);
  }
});

test('strips the tags of audio recordings', async () => {
  for (const name of ['memo.m4a', 'memo.mp3', 'memo.flac', 'memo.ogg', 'memo.wav']) {
    const source = ['-f', 'lavfi', '-i', 'sine=duration=1'];
    const tags = ['-metadata', 'title=Stephansplatz', '-metadata', 'comment=Stephansplatz'];
    const path = makeClip(made.path(name), [...source, ...tags]);
    const id = await addFile(database, path, { ownerId: owner.id });
    expect(saidBy((await play(id, { as: owner })).bytes)).toEqual(['Stephansplatz']);
    const { status, bytes } = await play(id, { as: placeless });
    expect([name, status, saidBy(bytes)]).toEqual([name, 200, []]);
  }
});

test('a missing original returns 404 and creates no copy', async () => {
  const path = await clipWithPlaces();
  const id = await addFile(database, path, { ownerId: owner.id });
  const digest = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest();
  await rm(originalPath(database.deps.paths, digest));
  expect((await play(id, { as: placeless })).status).toBe(404);
  expect(await listFileRows(id)).toEqual([]);
});
