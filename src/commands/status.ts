import { statfs } from 'node:fs/promises';
import { getErrorMessage } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { isMediaHostReachable } from '../media/host/client.ts';
import { findFingerprint } from '../http/self-signed.ts';
import { readMemoryBytes } from '../core/machine.ts';
import { countCores } from '../core/setting-table.ts';
import type { Settings } from '../core/settings.ts';
import { VERSION } from '../core/version.ts';
import type { Db } from '../db/client.ts';
import { listFaults } from '../jobs/faults.store.ts';
import { measureQueues } from '../jobs/statistics.ts';
import {
  describeState,
  isWell,
  readServerState,
  type ServerState,
} from '../maintenance/server-state.ts';
import { listNodes } from '../nodes/store.ts';
import { type CommandSpec, print } from './command.ts';
import { withDatabase } from './database.ts';
import { toOneLine } from './format.ts';
import { openScreen } from './screen.ts';
import { listActiveRuns, listFailedJobs, readDatabaseFacts } from './status.store.ts';
import { formatNodes } from './status-nodes.view.ts';
import { formatStatus, type Status } from './status.view.ts';
import { parseWait, waitUntilServing } from './status.wait.ts';

export const command: CommandSpec = {
  help: `Shows what the server does: queues, rates, runs, the last errors, disk and database. In a terminal
until q or Ctrl-C, otherwise once. Its first line is all there is while the database cannot be asked. Ends with 1 if
something needs a person, as jobs that wait for the machine.`,
  flags: [
    { flag: '--json', doc: 'Print it once, as JSON' },
    {
      flag: '--nodes',
      doc: 'Print the processes that serve this library, and those lost within a day',
    },
    {
      flag: '--wait',
      placeholder: 'SECONDS',
      doc: 'Print how the server starts or updates until it serves; ends with 1 if it does not, or is not well',
    },
  ],
  async run({ settings, flags }) {
    const wait = flags.get('--wait');
    if (wait !== undefined) return waitUntilServing(settings, parseWait(wait));
    if (flags.has('--nodes')) return showNodes(settings, flags.has('--json'));
    const state = readServerState(dataPaths(settings.dataDir));
    const show = () => {
      print(flags.has('--json') ? JSON.stringify(toStateJson(state)) : describeState(state));
      return isWell(state) ? 0 : 1;
    };
    // The database of a library that is not served may be closed, or not running yet.
    if (!['serving', 'stopped'].includes(state.mode.kind)) return show();
    return withDatabase(settings, async ({ db }) => {
      const read = () => readStatus(db, settings);
      if (!flags.has('--json') && process.stdout.isTTY) await watch(read);
      else {
        const status = await read();
        const text = JSON.stringify(toJson(status), null, 2);
        print(flags.has('--json') ? text : formatStatus(status).join('\n'));
      }
      return isWell(state) && (await listFaults(db)).length === 0 ? 0 : 1;
    }).catch((error: unknown) => {
      if (isWell(state)) throw error;
      return show();
    });
  },
};

const showNodes = (settings: Settings, isJson: boolean): Promise<number> =>
  withDatabase(settings, async ({ db }) => {
    const nodes = await listNodes(db);
    print(isJson ? JSON.stringify(nodes, null, 2) : formatNodes(nodes, Date.now()).join('\n'));
    return 0;
  });

const toStateJson = (state: ServerState) => ({
  ...state,
  isWell: isWell(state),
  text: describeState(state),
});

async function readStatus(db: Db, settings: Settings): Promise<Status> {
  const { dataDir, profile, mediaSocket } = settings;
  const disk = await statfs(dataDir).catch(() => undefined);
  return {
    version: VERSION,
    at: Date.now(),
    state: readServerState(dataPaths(dataDir)),
    machine: { profile, memory: readMemoryBytes(), cores: countCores() },
    isMediaHostAway: mediaSocket !== undefined && !(await isMediaHostReachable(mediaSocket)),
    certificate: findFingerprint(settings, dataPaths(dataDir).tls) ?? null,
    database: await readDatabaseFacts(db),
    disk: disk && { size: disk.bsize * disk.blocks, available: disk.bsize * disk.bavail },
    queues: await measureQueues(db),
    runs: await listActiveRuns(db),
    failures: await listFailedJobs(db),
  };
}

const REFRESH_MS = 1000;
/** Where reading takes long, it takes a fifth of the time at most. */
const REST = 4;

async function watch(read: () => Promise<Status>): Promise<void> {
  const screen = openScreen();
  try {
    let before: Status | undefined;
    while (!screen.isEnded()) {
      const from = performance.now();
      const status = await Promise.race([read().catch(toError), screen.ended]);
      if (!status) return;
      const isRead = !(status instanceof Error);
      const lines = isRead
        ? formatStatus(status, before)
        : [`The database cannot be read: ${toOneLine(getErrorMessage(status))}`];
      screen.draw([...lines, '', 'q ends']);
      before = isRead ? status : undefined;
      const rest = Math.max(REFRESH_MS, REST * (performance.now() - from));
      await Promise.race([Bun.sleep(rest), screen.ended]);
    }
  } finally {
    screen.close();
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

const toIso = (ms: number): string => new Date(ms).toISOString();

function toJson({ at, database: { servedSince, bytes }, failures, ...rest }: Status): object {
  return {
    ...rest,
    state: toStateJson(rest.state),
    at: toIso(at),
    server: { runningSince: servedSince === null ? null : toIso(servedSince) },
    database: { bytes },
    failures: failures.map(({ failedAt, ...failure }) => ({
      ...failure,
      failedAt: toIso(failedAt),
    })),
  };
}
