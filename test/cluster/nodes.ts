import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { getProgram } from '../support/program.ts';
import { until } from '../support/until.ts';
import { install, readEnvironment, readExample } from './example.ts';
import { type Machine, runHere, signalProcess } from './machines.ts';

// Servers of one library, by the files of appliance/cluster.

const ENVIRONMENT = '/etc/safelight/safelight.env';
const DATA = '/var/lib/safelight';
/** `RestartSec` of appliance/debian/safelight.service. */
const RESTART_MS = 2000;
/** Where the store has what it shares: within a folder that is its own here. */
const SHARES = '/var/lib';
/** The folder of the store that has all that is shared, as a data folder has it. */
export const SHARED_DATA = join(SHARES, '/srv/safelight');

export type Node = {
  readonly machine: Machine;
  readonly url: string;
  /** Ends what ran before, and starts the server without waiting for it. */
  start(...flags: readonly string[]): void;
  /** From now on it is started again when it ends by itself, as its unit says: its database may be away. */
  restartOnFailure(): void;
  signal(name: NodeJS.Signals): void;
  /** Kills it with SIGKILL, and all its children. */
  kill(): Promise<void>;
  /** Stops it as a service manager does. */
  stop(): Promise<void>;
  isReady(): Promise<boolean>;
  untilReady(): Promise<void>;
  getPid(): number;
  /** Runs a command of the program with the settings of the server. */
  run(...words: readonly string[]): Promise<string>;
};

export type NodeOptions = {
  /** Certificates of all databases. */
  readonly certificates: string;
  /** The file of the key pair of the object store. */
  readonly credentials: string;
  /** Replaces settings of the example. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Mounts the folders that appliance/cluster/fstab names, in place of a server of NFS. */
export function mountShares(machine: Machine, store: Machine): void {
  for (const [, from, to] of readExample('fstab').matchAll(/^store:(\S+)\s+(\S+)/gm)) {
    const shared = store.getPath(join(SHARES, from!));
    const target = machine.getPath(to!);
    for (const folder of [shared, target]) mkdirSync(folder, { recursive: true });
    runHere('chown', 'safelight:', shared);
    runHere('mount', '--bind', shared, target);
  }
}

/** Writes what the settings of a server name: its own, certificates and the key pair. */
export function writeSettings(machine: Machine, { certificates, credentials }: NodeOptions): void {
  install(machine, 'safelight.env', ENVIRONMENT);
  for (const [name, text] of [
    ['database.pem', certificates],
    ['s3', credentials],
  ] as const) {
    const path = machine.getPath(join('/etc/safelight', name));
    writeFileSync(path, text, { mode: 0o600 });
    runHere('chown', 'safelight:', path);
  }
}

export const readSettings = (machine: Machine): Record<string, string> =>
  readEnvironment(machine, ENVIRONMENT);

/** A server with empty folders, which is not started yet. */
export function addNode(machine: Machine, options: NodeOptions): Node {
  writeSettings(machine, options);
  mkdirSync(machine.getPath(DATA), { recursive: true });
  runHere('chown', 'safelight:', machine.getPath(DATA));
  return startOn(machine, { SAFELIGHT_DATA: DATA, ...readSettings(machine), ...options.env });
}

/** A server on a machine with these settings, which is not started yet. */
export function startOn(machine: Machine, env: Readonly<Record<string, string>>): Node {
  const url = `http://${machine.address}:2283`;
  let child: ReturnType<Machine['spawn']> | undefined;
  let restarts = false;
  const start = (...flags: readonly string[]) => {
    const started = machine.spawn([...getProgram(), 'serve', '--log-format', 'json', ...flags], {
      env,
    });
    child = started;
    void started.exited.then(async (code) => {
      if (!restarts || code === 0) return;
      await Bun.sleep(RESTART_MS);
      if (child === started) start(...flags);
    });
  };
  const isReady = () =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const end = async (name: NodeJS.Signals) => {
    const ended = child;
    child = undefined;
    ended?.kill(name);
    await ended?.exited;
  };
  return {
    machine,
    url,
    start,
    restartOnFailure() {
      restarts = true;
    },
    signal(name) {
      child?.kill(name);
    },
    async kill() {
      const tree = child ? listProcessTree(child.pid) : [];
      await end('SIGKILL');
      for (const pid of tree) signalProcess(pid, 'SIGKILL');
    },
    stop: () => end('SIGTERM'),
    isReady,
    untilReady: () => until(isReady),
    getPid: () => child?.pid ?? 0,
    run: (...words) => machine.run([...getProgram(), ...words], { env }),
  };
}
