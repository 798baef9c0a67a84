import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { findAccountSession } from '../access/account-session.ts';
import {
  createImmichClient,
  type ImmichClient,
  describeNote,
  ImmichUnavailable,
  importFolder,
  importFromImmich,
  type ImportNote,
  type ImportReport,
} from '../areas/imports/index.ts';
import { importInPlace } from '../areas/libraries/index.ts';
import { keepNamedFaces } from '../areas/move-ins/index.ts';
import { formatBytes } from '../core/byte-format.ts';
import { requireAccess } from '../core/access-remedy.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { AppError } from '../core/errors.ts';
import { dataPaths } from '../core/paths.ts';
import type { Command } from '../core/settings.ts';
import type { Database, Db } from '../db/client.ts';
import { findAccount, listAccounts } from './accounts.store.ts';
import { type CommandSpec, createQuietLog, print } from './command.ts';
import { requireLibraryFolders, withDatabase } from './database.ts';
import { formatCount, toOneLine } from './format.ts';
import { withProgress } from './progress.ts';

/** Kinds of other files that the report names. */
const MAX_KINDS = 5;

export const command: CommandSpec = {
  usage: '<folder>',
  help: `Takes the photos and videos of a folder and those below it into the library of an account, as if they
had been uploaded. The files of the folder are only read. The server may run; it makes the thumbnails.
Without a folder, --immich takes those of an account of Immich.

Known are Live Photos (IMG_1.HEIC and IMG_1.MOV), XMP files, the library of PhotoPrism, and the exports of
Google Photos (Takeout) and of iCloud Photos: their albums, dates, positions, descriptions, favorites and edited
versions. Unpack all archives of an export into one folder first.

From Immich come favorites, archive, albums, tags, stacks, people, Live Photos, and the dates, places,
descriptions and ratings that were changed there; not what is locked or in the trash.

What an export lacks, or what stays behind, is listed by name: files without facts, date or album, entries of
albums without a file, values that are not taken.
What is in the trash of the export, or in its folder of the trash, is left out; what was locked is locked.

A second run takes in what is missing only. Ends with 1 if something was refused.`,
  flags: [
    {
      flag: '--owner',
      placeholder: 'EMAIL',
      doc: 'The account; without it the only administrator',
    },
    { flag: '--album-from-folders', doc: 'Add the items of each folder to an album of its name' },
    {
      flag: '--people-as-tags',
      doc: 'Takeout, Immich: tag items with the names of people, as People/NAME',
    },
    {
      flag: '--trust-dates',
      doc: 'Takeout, iCloud: dates of the export count more than those of files that tell another day, as scans do',
    },
    { flag: '--immich', placeholder: 'URL', doc: 'Address of the Immich to take from' },
    {
      flag: '--immich-key-file',
      placeholder: 'FILE',
      doc: 'File with an API key of the account there; - for standard input',
    },
    { flag: '--copy', doc: 'Copy the files into the data folder (the default)' },
    {
      flag: '--in-place',
      doc: 'Show the files where they are, as an external library, which later scans keep up to date',
    },
    { flag: '--dry-run', doc: 'Only say what would happen' },
    { flag: '--json', doc: 'One JSON object per refused or listed file, and the report' },
  ],
  words: 1,
  async run({ settings, flags, words }) {
    const source = await getSource(words[0], flags, settings.dataDir);
    const isJson = flags.has('--json');
    const isDryRun = flags.has('--dry-run');
    const options = {
      isDryRun,
      namesAlbums: flags.has('--album-from-folders'),
      tagsPeople: flags.has('--people-as-tags'),
      trustsDates: flags.has('--trust-dates'),
    };
    const isInPlace = flags.has('--in-place');
    const ofFolders = ['--album-from-folders', '--trust-dates'];
    refuseTogether(flags, '--in-place', ['--copy', '--people-as-tags', ...ofFolders]);
    refuseTogether(flags, '--immich', ['--in-place', '--copy', ...ofFolders]);
    const onRefused = (refusal: { readonly path: string; readonly reason: string }) =>
      print(
        isJson
          ? JSON.stringify(refusal)
          : `refused: ${toOneLine(refusal.path)}: ${toOneLine(refusal.reason)}`,
      );
    const onNoted = ({ path, ...note }: ImportNote) =>
      print(
        isJson
          ? JSON.stringify({ path, ...note })
          : `listed: ${toOneLine(path)}: ${toOneLine(describeNote(note))}`,
      );
    const report = await withDatabase(settings, async (database) => {
      // The user of the library reads them, not root: they may be anybody's.
      if ('root' in source) requireAccess(source.root, 'read');
      const ownerId = await findOwner(database.db, flags.get('--owner'));
      await requireLibraryFolders(database.db, settings);
      const ctx = await createContext(database, ownerId, settings);
      const target = { ...source, ownerId };
      return withProgress('import', formatCount, (onProgress) => {
        const events = { onProgress, onRefused, onNoted };
        if ('client' in target) return takeAccount(ctx, target, options, events);
        return isInPlace
          ? importInPlace(ctx, target, { isDryRun }, events)
          : importFolder(ctx, target, options, events);
      }).catch(toFailure);
    });
    print(isJson ? JSON.stringify(report) : formatReport(report, isDryRun));
    return report.refused > 0 || report.stopped !== undefined ? 1 : 0;
  },
};

/** The names that faces have there become those of people here, as in a move of the page. */
async function takeAccount(...[ctx, target, options, events]: Parameters<typeof importFromImmich>) {
  const faces = keepNamedFaces(ctx.db);
  const report = await importFromImmich(ctx, target, options, { ...events, onItem: faces.add });
  if (!options.isDryRun) await faces.finish();
  return report;
}

/** A folder that no library can have, and another server, are no fault of the program. */
function toFailure(error: unknown): never {
  if (error instanceof AppError || error instanceof ImmichUnavailable) {
    throw new Failure(error.message);
  }
  throw error;
}

type Flags = Parameters<CommandSpec['run']>[0]['flags'];

function refuseTogether(flags: Flags, flag: string, others: readonly string[]): void {
  const other = flags.has(flag) ? others.find((name) => flags.has(name)) : undefined;
  if (other) throw new UsageError(`import takes either ${flag} or ${other}`);
}

/** Returns the folder or the server to take from. */
async function getSource(
  folder: string | undefined,
  flags: Flags,
  dataDir: string,
): Promise<{ root: string } | { client: ImmichClient }> {
  const [address, keyFile] = [flags.get('--immich'), flags.get('--immich-key-file')];
  if (address === undefined) {
    if (keyFile !== undefined) throw new UsageError('--immich-key-file needs --immich');
    return { root: getFolder(folder, dataDir) };
  }
  if (folder !== undefined) throw new UsageError('import takes either a folder or --immich');
  if (keyFile === undefined) throw new UsageError('--immich needs --immich-key-file');
  const key = await readKey(keyFile);
  try {
    return { client: createImmichClient({ address, key }) };
  } catch (error) {
    throw new UsageError(`--immich: ${(error as Error).message}`);
  }
}

async function readKey(path: string): Promise<string> {
  const file = path === '-' ? Bun.stdin : Bun.file(path);
  const key = (await file.text().catch(() => '')).trim();
  if (!/^[\w-]+$/.test(key)) throw new UsageError(`There is no API key in ${path}`);
  return key;
}

/** Returns the real path. Throws for a folder that holds, or is held by, the data folder. */
function getFolder(folder: string | undefined, dataDir: string): string {
  if (!folder) throw new UsageError('import needs the folder to read');
  const root = toRealPath(folder);
  if (root === undefined) throw new UsageError(`There is no folder ${folder}`);
  const data = toRealPath(dataDir);
  const holds = (outer: string, inner: string) => `${inner}${sep}`.startsWith(`${outer}${sep}`);
  if (data && (holds(root, data) || holds(data, root))) {
    throw new UsageError(`${folder} and the data folder ${dataDir} must be apart`);
  }
  return root;
}

function toRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

async function findOwner(db: Db, email: string | undefined): Promise<string> {
  if (email !== undefined) {
    const account = await findAccount(db, email.trim().toLowerCase());
    if (!account) throw new Failure(`There is no account for ${email}`);
    return account.id;
  }
  const [admin, ...others] = (await listAccounts(db)).filter(({ isAdmin }) => isAdmin);
  if (admin && others.length === 0) return admin.id;
  throw new Failure(
    admin
      ? 'There are several administrators: choose the account with --owner'
      : 'There is no account yet',
  );
}

async function createContext(
  { db, sql }: Database,
  ownerId: string,
  settings: Command['settings'],
) {
  const session = await findAccountSession(db, ownerId);
  if (!session) throw new Failure('The account was deleted');
  const log = createQuietLog(settings);
  return {
    db,
    sql,
    now: () => new Date(),
    paths: dataPaths(settings.dataDir),
    settings,
    log,
    session,
  };
}

function formatReport(report: ImportReport, isDryRun: boolean): string {
  const amounts: readonly [number, string][] = [
    [report.duplicates, 'in the library already'],
    [report.inTrash, 'in the trash of the library'],
    [report.skipped, 'in the trash of the export, skipped'],
    [report.refused, 'refused'],
    [report.noted, 'listed: what is missing or stays behind'],
    [report.livePhotos, 'Live Photos'],
    [report.stacks, 'stacks with edited versions'],
    [report.albumItems, `added to albums (${formatCount(report.albums)})`],
    [report.ambiguousAlbumItems, 'entries of albums name several files, and are left out'],
  ];
  const taken = `${formatCount(report.taken)} ${isDryRun ? 'to take in' : 'taken in'}, ${formatBytes(report.takenBytes)}`;
  return [
    taken,
    amounts.flatMap(([count, text]) => (count > 0 ? `${formatCount(count)} ${text}` : [])),
    formatOthers(report.others),
    report.stopped === undefined ? [] : `stopped: ${report.stopped}`,
  ]
    .flat()
    .join('\n');
}

/** '4 other files: zip 3, pdf 1'; none for none. */
function formatOthers(others: ImportReport['others']): string[] {
  const kinds = Object.entries(others).toSorted(([, one], [, other]) => other - one);
  if (kinds.length === 0) return [];
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const named = kinds.slice(0, MAX_KINDS).map(([kind, count]) => `${kind} ${formatCount(count)}`);
  return [toOneLine(`${formatCount(total)} other files: ${named.join(', ')}`)];
}
