import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { reportIntegrity } from '../areas/server/index.ts';
import { formatBytes } from '../core/byte-format.ts';
import { UsageError } from '../core/command-line.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { dataPaths } from '../core/paths.ts';
import type { Command } from '../core/settings.ts';
import type { Db } from '../db/client.ts';
import { startDatabase } from '../db/server.ts';
import { restoreBackup, withDump } from '../maintenance/restore.ts';
import { getDatabaseFolder } from '../maintenance/space.ts';
import { acceptStores, STORES } from '../storage/library-folders.ts';
import { type CommandSpec, print, createQuietLog } from './command.ts';
import { requireLibraryFolders, withDatabase } from './database.ts';
import { backup, restoreDrill } from './maintenance-backup.ts';
import {
  endMaintenance,
  printLoginUrl,
  startMaintenance,
  upgradePostgres,
} from './maintenance-mode.ts';
import { type UpdateProgress, withProgress } from './progress.ts';
import { measureOriginals, type Slice, verifyOriginals } from './verify.ts';

export const command: CommandSpec = {
  usage:
    '(start | end | url | backup | restore-drill [dump] | restore <dump> | ' +
    'upgrade-postgres | verify | accept-folders)',
  help: `start    switches maintenance mode on, at once if the server runs; prints where to log in. Servers that
         share a database are in it together, and their workers run no jobs
end      switches maintenance mode off
url      prints where to log in to maintenance mode, once and within four hours
backup   writes a dump of the database to the backup folder; the server may run. With --to also copies
         the originals, those that the folder lacks, and writes the dump there. With --before-update only
         if this version would change the database: the backup that it would make first
restore-drill  proves a backup, by default the newest: restores it beside the database, compares both
         and drops it; ends with 1 if that fails or originals of it are missing. The server may run
restore  replaces the database by a dump; the server must not run. The replaced database is kept
         beside it under another name
upgrade-postgres  moves the database that Safelight runs itself to the newest PostgreSQL that is
         installed, in maintenance mode. The old one is kept for a week and goes on if that fails
verify   reads every original, or one slice of them, and compares it with its digest; ends with 1
         if one is missing or damaged, and remembers which: uploading it again replaces the file
accept-folders  takes the folders of originals, derived pictures and backups as those of this library, after
         one of them was made anew or put in its place`,
  flags: [
    {
      flag: '--to',
      placeholder: 'DIR',
      doc: 'backup: folder of another disk, for dump and originals',
    },
    {
      flag: '--before-update',
      doc: 'backup: only if this version would change the database, as its start would',
    },
    {
      flag: '--ignore-foreign',
      doc: 'restore, restore-drill: leave out what Safelight has not made, as the view of another program',
    },
    { flag: '--slice', placeholder: 'I/N', doc: 'verify: only the I-th of N parts, as 3/30' },
    { flag: '--json', doc: 'verify: one JSON object per problem' },
  ],
  words: 2,
  async run(call) {
    const action = ACTIONS.get(call.words[0] ?? '');
    if (!action) throw new UsageError(`Say what to do: ${[...ACTIONS.keys()].join(', ')}`);
    return action(call);
  },
};

const ACTIONS = new Map<string, (call: Command) => Promise<number>>([
  ['start', startMaintenance],
  ['end', endMaintenance],
  ['url', printLoginUrl],
  ['backup', backup],
  ['restore-drill', restoreDrill],
  ['restore', restore],
  ['upgrade-postgres', upgradePostgres],
  ['verify', verify],
  ['accept-folders', acceptFolders],
]);

async function restore({ settings, flags, words }: Command): Promise<number> {
  if (!words[1]) throw new UsageError('restore needs the dump to read');
  const file = resolve(words[1]);
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}`);
  // As the caller: a dump that only root may read.
  return withDump(file, async (dump) => {
    enterDataFolder(settings);
    const server = await startDatabase(settings, createQuietLog(settings));
    let leftOut: string | undefined;
    try {
      const { kept } = await withProgress('restore', formatBytes, (onBytes) =>
        restoreBackup({
          url: server.url,
          file,
          dump,
          now: new Date(),
          diskFolder: getDatabaseFolder(settings),
          ignoresForeign: flags.has('--ignore-foreign'),
          onBytes,
          onLeftOut: (text) => void (leftOut = text),
        }),
      );
      if (leftOut !== undefined) print(leftOut);
      print(`restored from ${file}; the replaced database is kept as ${kept}`);
      return 0;
    } finally {
      await server.stop();
    }
  });
}

async function verify({ settings, flags }: Command): Promise<number> {
  const slice = parseSlice(flags.get('--slice') ?? '1/1');
  const isJson = flags.has('--json');
  const counts = { ok: 0, bad: 0, damaged: 0, unreadable: 0 };
  const paths = dataPaths(settings.dataDir);
  const verifyAll = async (db: Db, update: UpdateProgress) => {
    const total = await measureOriginals(db, slice);
    const onBytes = (bytes: number) => update(bytes, total);
    for await (const found of verifyOriginals({ db, paths }, slice, onBytes)) {
      if (found === 'ok') counts.ok += 1;
      else {
        counts.bad += 1;
        if (found.kind === 'unreadable') counts.unreadable += 1;
        else if (!found.isKnown) counts.damaged += 1;
        print(isJson ? JSON.stringify(found) : `${found.kind}: ${found.path}`);
      }
    }
  };
  await withDatabase(settings, async ({ db }) => {
    await requireLibraryFolders(db, settings);
    await withProgress('verify', formatBytes, (update) => verifyAll(db, update));
    await reportIntegrity(db, counts, new Date());
  });
  if (!isJson) print(`${counts.ok} originals are right, ${counts.bad} are not`);
  return counts.bad > 0 ? 1 : 0;
}

async function acceptFolders({ settings }: Command): Promise<number> {
  enterDataFolder(settings);
  const paths = dataPaths(settings.dataDir);
  await withDatabase(settings, ({ db }) => db.transaction((tx) => acceptStores({ db: tx, paths })));
  print(`${STORES.map((name) => paths[name]).join(', ')} belong to this library`);
  return 0;
}

function parseSlice(text: string): Slice {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index && count && index <= count && count <= 10_000) return { index, count };
  throw new UsageError(`--slice must be I/N with I from 1 to N, not '${text}'`);
}
