import {
  moveFilesToObjects,
  moveObjectsToFiles,
  moveToFiles,
  moveToObjects,
  verifyObjects,
} from '../areas/object-storage/index.ts';
import { formatBytes } from '../core/byte-format.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import type { Deps } from '../core/context.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { dataPaths } from '../core/paths.ts';
import type { Command } from '../core/settings.ts';
import { findObjectStore, MOVE_POOL } from '../storage/objects.ts';
import { claimFolder, releaseFolder } from '../storage/file-folder.ts';
import { countFilePlaces, sumPlaces } from '../storage/files.store.ts';
import { type CommandSpec, createQuietLog, print } from './command.ts';
import { requireLibraryFolders, withDatabase } from './database.ts';
import { withProgress } from './progress.ts';

export const command: CommandSpec = {
  usage: 'status | move --to s3|files | verify',
  help: `The places of originals and other files: the data folder, or the object store of --object-store. Runs beside a server.

status   prints how many originals and other files are where
move     moves them, one by one; it can be ended and begun again. Objects that were moved to files are deleted after 30 days.
         From then on a server whose data folder is another one than that of this command is refused
verify   compares the object store with the database, and each object with its digest`,
  flags: [
    { flag: '--to', placeholder: 'PLACE', doc: 'move: s3 or files' },
    {
      flag: '--delete-source',
      doc: 'move --to s3: files go to the quarantine once their objects are stored, and are deleted after 30 days',
    },
  ],
  words: 1,
  async run(call) {
    const action = ACTIONS.get(call.words[0] ?? '');
    if (!action) throw new UsageError(`Say what to do: ${[...ACTIONS.keys()].join(', ')}`);
    return action(call);
  },
};

const withLibrary = (
  { settings }: Command,
  work: (deps: Deps) => Promise<number>,
  pool?: string,
): Promise<number> =>
  withDatabase(
    settings,
    async ({ db, sql }) => {
      await requireLibraryFolders(db, settings);
      const paths = dataPaths(settings.dataDir);
      const log = createQuietLog(settings);
      return work({ db, sql, paths, settings, log, now: () => new Date() });
    },
    pool,
  );

const showStatus = (call: Command): Promise<number> =>
  withLibrary(call, async ({ db, settings }) => {
    const { files, fileBytes, objects, objectBytes, deletions } = await sumPlaces(db);
    const others = await countFilePlaces(db);
    print(`files    ${files} originals, ${formatBytes(fileBytes)}, ${others.files} other files`);
    print(
      `objects  ${objects} originals, ${formatBytes(objectBytes)}, ${others.objects} other files`,
    );
    print(`store    ${findObjectStore(settings)?.url ?? 'none'}`);
    if (deletions > 0) print(`${deletions} objects are to be deleted`);
    return 0;
  });

async function move(call: Command): Promise<number> {
  const to = call.flags.get('--to');
  if (to !== 's3' && to !== 'files') throw new UsageError('--to must be s3 or files');
  const deletesFiles = call.flags.has('--delete-source');
  if (deletesFiles && to === 'files') throw new UsageError('--delete-source belongs to --to s3');
  if (!findObjectStore(call.settings)) throw new Failure('--object-store names no object store');
  enterDataFolder(call.settings);
  const moveAll = async (deps: Deps) => {
    if (to === 'files') await claimFolder(deps);
    const { fileBytes, objectBytes } = await sumPlaces(deps.db);
    const total = to === 's3' ? fileBytes + objectBytes : objectBytes;
    const { moved, kept, bad } = await withProgress('move', formatBytes, (update) => {
      const onBytes = (bytes: number) => update(bytes, total);
      return to === 's3'
        ? moveToObjects(deps, { deletesFiles, onBytes })
        : moveToFiles(deps, { onBytes });
    });
    for (const sha256 of bad) print(`missing or damaged: ${sha256}`);
    print(`moved ${moved} originals, ${kept} were there, ${bad.length} are bad`);
    const others = await (to === 's3'
      ? moveFilesToObjects(deps, { deletesFiles })
      : moveObjectsToFiles(deps));
    print(`moved ${others.moved} other files, ${others.missing} are missing`);
    if (to === 's3') await releaseFolder(deps);
    return bad.length > 0 ? 1 : 0;
  };
  return withLibrary(call, moveAll, `${MOVE_POOL}${to}`);
}

const verify = (call: Command): Promise<number> =>
  withLibrary(call, async (deps) => {
    const { objectBytes } = await sumPlaces(deps.db);
    const counts = { ok: 0, bad: 0 };
    await withProgress('verify', formatBytes, async (update) => {
      for await (const found of verifyObjects(deps, (bytes) => update(bytes, objectBytes))) {
        if (found === 'ok') counts.ok += 1;
        else {
          counts.bad += 1;
          print(`${found.kind}: ${found.key}`);
        }
      }
    });
    print(`${counts.ok} objects are right, ${counts.bad} are not`);
    return counts.bad > 0 ? 1 : 0;
  });

const ACTIONS = new Map<string, (call: Command) => Promise<number>>([
  ['status', showStatus],
  ['move', move],
  ['verify', verify],
]);
