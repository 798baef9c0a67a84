import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';
import { VERSION } from '../core/version.ts';
import { getProcessOwner, isOwnerProcessDead } from '../media/process-stat.ts';

// The state of the server, in the same words everywhere: systemd, `status`, `doctor`, the page, the installer.

export type ServerMode =
  | { readonly kind: 'starting'; readonly reason?: string | undefined }
  | { readonly kind: 'updating'; readonly step: string; readonly progress?: number | undefined }
  | { readonly kind: 'maintenance'; readonly url: string; readonly reason: string }
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stopped' };

/** Something that an administrator should know: a whole sentence without a full stop. */
export type Problem = {
  readonly kind: 'databaseAway' | 'wrongStore' | 'diskFull' | 'machineFault';
  readonly text: string;
};

export type ServerState = {
  readonly version: string;
  readonly mode: ServerMode;
  readonly problems: readonly Problem[];
};

const STEPS: Readonly<Record<string, string>> = {
  backup: 'writing a backup',
  migrations: 'applying migrations',
};

function describeMode({ version, mode }: ServerState): string {
  switch (mode.kind) {
    case 'starting':
      return mode.reason === undefined ? 'Starting' : `Starting. ${mode.reason}`;
    case 'updating': {
      const progress = mode.progress === undefined ? '' : `, ${mode.progress} %`;
      return `Updating the database to ${version}: ${STEPS[mode.step] ?? mode.step}${progress}`;
    }
    case 'maintenance':
      return `In maintenance mode at ${mode.url}: ${mode.reason}`;
    case 'serving':
      return `Serving at ${mode.url}`;
    case 'stopping':
      return 'Finishing requests and jobs';
    case 'stopped':
      return 'Not running';
  }
}

/** Returns one line for people. */
export const describeState = (state: ServerState): string =>
  [describeMode(state), ...state.problems.map(({ text }) => text)]
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, ''))
    .join('. ');

/** Whether nothing needs a person: a server that is off, or on its way, is well. */
export const isWell = ({ mode, problems }: ServerState): boolean =>
  mode.kind !== 'maintenance' && problems.length === 0;

/** Whether the state stays as it is until somebody or something changes it. */
export const isSettled = ({ mode }: ServerState): boolean =>
  mode.kind === 'serving' || mode.kind === 'maintenance' || mode.kind === 'stopped';

type StatePaths = Pick<DataPaths, 'maintenance'>;
type Recorded = ServerState & { readonly owner: string };

/** The file keeps its blocks: a disk that is full refuses new ones. */
const FILE_BYTES = 16_384;
const MAX_PROBLEMS = 5;
const MAX_CHARACTERS = 500;
const getFile = ({ maintenance }: StatePaths) => join(maintenance, 'server.json');

function saveState(paths: StatePaths, { version, mode, problems }: ServerState): void {
  const cut = (text: string) => text.slice(0, MAX_CHARACTERS);
  const recorded: Recorded = {
    version,
    mode: mode.kind === 'maintenance' ? { ...mode, reason: cut(mode.reason) } : mode,
    problems: problems.slice(0, MAX_PROBLEMS).map(({ kind, text }) => ({ kind, text: cut(text) })),
    owner: getProcessOwner(),
  };
  const bytes = Buffer.alloc(FILE_BYTES, ' ');
  bytes.write(JSON.stringify(recorded));
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  const fd = openForUpdate(getFile(paths));
  try {
    writeSync(fd, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(fd);
  }
}

function openForUpdate(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch {
    return openSync(path, 'w', 0o600);
  }
}

/** Returns the state of the server on this data folder, as another process. */
export function readServerState(paths: StatePaths): ServerState {
  const stopped: ServerState = { version: VERSION, mode: { kind: 'stopped' }, problems: [] };
  try {
    const { owner, ...state } = JSON.parse(readFileSync(getFile(paths), 'utf8')) as Recorded;
    return isOwnerProcessDead(owner) ? stopped : state;
  } catch {
    return stopped;
  }
}

export type StateReporter = {
  setMode(mode: ServerMode): void;
  setProblems(problems: readonly Problem[]): void;
  /** Leaves nothing behind for others to read. */
  end(): void;
};

/** Tells every change of the state to `publish`, and to the processes that read it from the data folder. */
export function createStateReporter(
  paths: StatePaths,
  publish: (text: string) => void,
): StateReporter {
  let mode: ServerMode = { kind: 'starting' };
  let problems: readonly Problem[] = [];
  let told = '';
  const tell = () => {
    const state = { version: VERSION, mode, problems };
    const text = describeState(state);
    if (text === told) return;
    told = text;
    publish(text);
    try {
      saveState(paths, state);
    } catch {
      // A disk that is full or away: the other windows tell it.
    }
  };
  return {
    setMode(next) {
      mode = next;
      tell();
    },
    setProblems(found) {
      problems = found;
      tell();
    },
    end() {
      [mode, problems] = [{ kind: 'stopped' }, []];
      tell();
    },
  };
}
