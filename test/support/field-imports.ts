import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import type { ImportNote } from '../../src/areas/imports/index.ts';
import { seed, type TestDatabase, type TestUser } from './harness.ts';
import { describeLibrary, openImportFolder, runImport } from './imports.ts';
import { createStill, createVideo } from './live-photos.ts';
import { drainLane, openMediaLibrary } from './processing.ts';

export const YEAR = 'Takeout/Google Photos/Photos from 2019';
export const PHOTO_TIME = '2019-04-01T10:00:00.000Z';
export const VIDEO_TIME = '2017-07-14T02:40:00.000Z';

/** A JSON of Takeout. */
export const toJson = (title: string, time: string, over: object = {}) => ({
  title,
  description: '',
  photoTakenTime: { timestamp: String(Date.parse(time) / 1000) },
  geoData: { latitude: 0, longitude: 0, altitude: 0 },
  ...over,
});

export const ICLOUD_HEADER =
  'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate';

/** An item of the library, as its account has it after all jobs. */
export type FieldItem = {
  /** Whether the timeline shows it. */
  readonly isShown: boolean;
  readonly isLocked: boolean;
  readonly takenAt: string;
  readonly description: string;
  /** Latitude and longitude. */
  readonly position: readonly (number | null)[];
  /** Name of the video of a live photo. */
  readonly video: string | null;
  readonly albums: readonly string[];
};

/** An entry of the report. */
type Note = {
  readonly reasons: readonly string[];
  readonly dateSource?: string;
  readonly album?: string;
};

/** For the top level of a file of tests: an account and a folder to import for each test. */
export function useFieldImports() {
  let library: Awaited<ReturnType<typeof openMediaLibrary>>;
  let scratch: string;
  let me: TestUser;
  let folder: Awaited<ReturnType<typeof openImportFolder>>;
  beforeAll(async () => {
    library = await openMediaLibrary();
    scratch = await mkdtemp(join(tmpdir(), 'field-'));
  });
  afterAll(async () => {
    await library.close();
    await rm(scratch, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await library.database.sql`truncate job`;
    me = await seed(library.database).user();
    folder = await openImportFolder();
  });
  afterEach(() => folder.remove());
  return {
    photo: createStill,
    video: (identifier?: string) => createVideo(scratch, identifier),
    write: (files: Parameters<typeof folder.write>[0]) => folder.write(files),
    getPath: () => folder.path,
    remove: (path: string) => rm(join(folder.path, path), { recursive: true }),
    /** The albums of the account with the names of their items, as its page shows them. */
    listAlbums: async (): Promise<{ name: string; description: string; items: string[] }[]> =>
      library.database.sql`
        select name, description, array(select file_name from album_asset
          join asset on asset.id = asset_id where album_id = album.id order by file_name) as items
        from album where owner_id = ${me.id} order by name, description`.then((rows) =>
        rows.map(({ name, description, items }) => ({ name, description, items })),
      ),
    /** The names of the files of each stack of the account. */
    listStacks: async (): Promise<string[][]> =>
      (
        await library.database.sql`
          select array_agg(file_name order by file_name) as names from asset
          where owner_id = ${me.id} and stack_id is not null group by stack_id order by 1`
      ).map((row) => row['names']),
    /** Renames the album with this description. */
    rename: (description: string, name: string) =>
      library.database.sql`update album set name = ${name}
        where owner_id = ${me.id} and description = ${description}`,
    describe: () => describeLibrary(library.database),
    setTime: (fileName: string, column: 'locked_at' | 'trashed_at') =>
      library.database.sql`update asset set ${library.database.sql(column)} = now()
        where owner_id = ${me.id} and file_name = ${fileName}`,
    /** The degrees that the library has of the photo of this name. */
    getPosition: async (fileName: string): Promise<(number | null)[]> => {
      const [row] = await library.database.sql`
        select latitude, longitude from asset_exif join asset on asset.id = asset_id
        where owner_id = ${me.id} and file_name = ${fileName}`;
      return [row?.['latitude'], row?.['longitude']];
    },
    /** Imports the folder and runs the jobs of metadata. Returns the report, and what it lists, by path. */
    run: async (options: Parameters<typeof runImport>[3] = {}) => {
      const { database } = library;
      const notes: Record<string, Note> = {};
      const add = ({ path, ...note }: ImportNote) => void (notes[path] = note);
      const { report, refused } = await runImport(database, me, folder.path, options, add);
      await drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
      const described = await listDescriptions(database, me.id);
      return { report, refused, notes, described, items: await listItems(database, me.id) };
    },
  };
}

async function listDescriptions({ sql }: TestDatabase, ownerId: string): Promise<string[]> {
  const rows = await sql`
    select description from asset_exif join asset on asset.id = asset_id
    where asset.owner_id = ${ownerId} and description <> '' order by 1`;
  return rows.map((row) => row['description']);
}

async function listItems({ sql }: TestDatabase, ownerId: string) {
  const rows = await sql`
    select asset.file_name, asset.taken_at, exif.description, exif.latitude, exif.longitude, video.file_name as video,
      asset.locked_at is not null as is_locked,
      asset.visibility = 'timeline' and asset.locked_at is null and asset.trashed_at is null
        as is_shown,
      array(select name from album_asset join album on album.id = album_id
        where asset_id = asset.id order by name) as albums
    from asset join asset_exif exif on exif.asset_id = asset.id
      left join asset video on video.id = asset.live_video_id
    where asset.owner_id = ${ownerId} order by asset.file_name`;
  const items = rows.map((row): [string, FieldItem] => [
    row['file_name'],
    {
      isShown: row['is_shown'],
      isLocked: row['is_locked'],
      takenAt: new Date(row['taken_at']).toISOString(),
      description: row['description'],
      position: [row['latitude'], row['longitude']],
      video: row['video'],
      albums: row['albums'],
    },
  ]);
  return Object.fromEntries(items);
}
