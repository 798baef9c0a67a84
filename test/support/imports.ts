import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findAccountSession } from '../../src/access/account-session.ts';
import { type ImportNote, type ImportReport, importFolder } from '../../src/areas/imports/index.ts';
import { createCtx, type TestDatabase, type TestUser } from './harness.ts';

export type Refusal = { readonly path: string; readonly reason: string };
type Options = Parameters<typeof importFolder>[2];

/** A folder to import; `write` makes files in it. */
export async function openImportFolder() {
  const path = await mkdtemp(join(tmpdir(), 'safelight-import-'));
  // A command that root starts reads it as the user of the data folder.
  await chmod(path, 0o755);
  return {
    path,
    async write(files: Readonly<Record<string, string | Uint8Array | object>>): Promise<void> {
      for (const [name, content] of Object.entries(files)) {
        const target = join(path, name);
        await mkdir(dirname(target), { recursive: true });
        const isBytes = typeof content === 'string' || content instanceof Uint8Array;
        await writeFile(target, isBytes ? content : JSON.stringify(content));
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Imports a folder for the account; returns the report and the refused files. Paths are those below it. */
export async function runImport(
  database: TestDatabase,
  { id: ownerId }: Pick<TestUser, 'id'>,
  root: string,
  options: Partial<Options> = {},
  onNoted: (note: ImportNote) => void = () => {},
) {
  const session = await findAccountSession(database.db, ownerId);
  const refused: Refusal[] = [];
  const report = await importFolder(
    createCtx(database, session!),
    { ownerId, root },
    { namesAlbums: false, ...options },
    {
      onProgress: () => {},
      onRefused: ({ path, reason }) => refused.push({ path: path.slice(root.length + 1), reason }),
      onNoted: (note) => onNoted({ ...note, path: note.path.replace(`${root}/`, '') }),
    },
  );
  return { report, refused };
}

const NOTHING: Omit<ImportReport, 'stopped'> = {
  taken: 0,
  takenBytes: 0,
  duplicates: 0,
  inTrash: 0,
  skipped: 0,
  refused: 0,
  noted: 0,
  livePhotos: 0,
  stacks: 0,
  albums: 0,
  albumItems: 0,
  ambiguousAlbumItems: 0,
  others: {},
};
/** A report with these counts, and any number of bytes if something was taken in. */
export const expectedReport = (counts: Partial<typeof NOTHING>) => ({
  ...NOTHING,
  ...counts,
});

/** All rows and files of the library, to compare. */
export async function describeLibrary({ sql, deps }: TestDatabase) {
  const tables = ['asset', 'asset_exif', 'asset_supplement', 'asset_file', 'original', 'stack'];
  const more = ['album', 'album_asset', 'tag', 'tag_asset', 'change', 'job'];
  const rows: Record<string, unknown> = {};
  for (const table of [...tables, ...more]) {
    rows[table] =
      await sql`select md5(string_agg(t::text, '|' order by t::text)) as md5 from ${sql(table)} t`;
  }
  const glob = new Bun.Glob('**/*');
  const files = await Array.fromAsync(glob.scan({ cwd: deps.paths.root, dot: true }));
  // The lock of the folder belongs to no library.
  return { rows, files: files.filter((path) => path !== '.lock').sort() };
}
