import { join } from 'node:path';
import { findGuardedPath, getDescriptorPath } from './guarded-path.ts';

// Children that handle bytes of strangers are started by native/launch.c, which takes from them what
// they do not need before their first instruction runs.

/** Paths that a confined child may use; those that do not exist are left out. */
export type FileAccess = {
  /** Files, or folders with everything below them; also guarded paths, which have to be there. */
  readonly read?: readonly string[];
  /** Folders whose files may be read, written, made and removed. */
  readonly write?: readonly string[];
  /** Folders of programs and their libraries, besides those of the system. */
  readonly run?: readonly string[];
  /** Whether the devices of graphics processors may be used. */
  readonly usesGpu?: boolean;
};

/** 'udp': sockets of UDP, and the addresses of this machine. Left out: no network at all. */
export type NetworkAccess = 'udp';

export type LaunchOptions = {
  /** The signal that the child gets when the thread that started it ends, however it ends. */
  readonly death: 'KILL' | 'INT';
  /** Left out for children that are trusted as much as we are: the database. */
  readonly files?: FileAccess;
  /** With `files`. */
  readonly network?: NetworkAccess;
  /** Processor time in seconds; SIGXCPU ends the child. */
  readonly cpuSeconds?: number | undefined;
  /** Address space in bytes. */
  readonly memoryBytes?: number | undefined;
  /** Private writable memory in bytes. */
  readonly dataBytes?: number | undefined;
  /** The limit of a file that it writes, in bytes; SIGXFSZ ends the child that would write more. */
  readonly fileBytes?: number | undefined;
  /** Added to the niceness. */
  readonly nice?: number | undefined;
  /** As root only: whom to run the child as. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
};

const SIGNALS = { KILL: 9, INT: 2 };

/**
 * The command line that runs `command` with no more than the options say, in a process group of its own: a
 * Ctrl-C in the terminal or a SIGTERM to our group is for us, and we end our children. Not to be spawned
 * `detached`: in another session its niceness says nothing to our processes. It ends with 127 when the
 * program is not there, 126 when it cannot be run, 125 when it could not be confined.
 */
export function launch(command: readonly string[], options: LaunchOptions): string[] {
  const { death, files, network, cpuSeconds, memoryBytes, dataBytes, fileBytes, nice, account } =
    options;
  const inputs = listInputs(files);
  return [
    launcher(),
    `--parent=${process.pid}`,
    `--death=${SIGNALS[death]}`,
    ...(account ? [`--uid=${account.uid}`, `--gid=${account.gid}`] : []),
    ...(nice === undefined ? [] : [`--nice=${nice}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}`]),
    ...(memoryBytes === undefined ? [] : [`--memory=${Math.ceil(memoryBytes)}`]),
    ...(dataBytes === undefined ? [] : [`--data=${Math.ceil(dataBytes)}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${Math.floor(fileBytes)}`]),
    ...(files ? confinement(files) : []),
    ...(network ? [`--${network}`] : []),
    '--',
    ...command.map((word) => toInputWord(word, inputs)),
  ];
}

/** native/launch.c opens the guarded paths of a child as descriptors from this one on. */
const FIRST_INPUT = 10;

/** Returns what the child calls the guarded path at this place of those that it may read. */
export const getInputPath = (index: number): string => getDescriptorPath(FIRST_INPUT + index);

const listInputs = (files: FileAccess | undefined): string[] => [
  ...new Set((files?.read ?? []).filter((path) => findGuardedPath(path) !== undefined)),
];

/** A guarded path in an argument, as ffmpeg and find have them. */
const INPUT_WORD = /^(file:)?(guarded:\/.*?)(\/\.)?$/s;

function toInputWord(word: string, inputs: readonly string[]): string {
  const [, scheme = '', path = '', suffix = ''] = INPUT_WORD.exec(word) ?? [];
  const index = inputs.indexOf(path);
  return index < 0 ? word : `${scheme}${getInputPath(index)}${suffix}`;
}

/** The means of confinement that this kernel has. */
export type Confinement = {
  /** Whether sockets and dangerous system calls are refused. */
  readonly seccomp: boolean;
  /** The version of Landlock that keeps it to its files; 0: it can use all files of its user. */
  readonly landlock: number;
};

/** Tries it out with a child. */
export function probeConfinement(): Confinement {
  const { stdout } = Bun.spawnSync([launcher(), '--confine', '--report'], { stderr: 'ignore' });
  const [, seccomp, landlock] = /seccomp=(\d) landlock=(\d+)/.exec(stdout.toString()) ?? [];
  return { seccomp: seccomp === '1', landlock: Number(landlock ?? 0) };
}

/** Programs and libraries of the system. */
const PROGRAMS = ['/usr', '/lib', '/lib32', '/lib64', '/bin', '/sbin', '/nix/store', '/gnu/store'];

/** Files that libraries read when they load; nothing else of /etc, where secrets of services lie. */
const CONFIGURATION = [
  'ld.so.cache',
  'ld.so.preload',
  'alternatives',
  'fonts',
  'localtime',
  'nsswitch.conf',
  'passwd',
  'group',
  'OpenCL',
  'vulkan',
  'glvnd',
  'libva.conf',
  'drirc',
].map((name) => `/etc/${name}`);

/** `self` is the child only: it is the launcher that opens the path. */
const PROC = ['self', 'cpuinfo', 'meminfo', 'stat', 'loadavg', 'uptime', 'version', 'filesystems'];
const KERNEL = [...PROC, 'devices', 'driver', 'sys'].map((name) => `/proc/${name}`).concat('/sys');
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`);
const GPUS = [
  'dri',
  'kfd',
  'nvidiactl',
  ...Array.from({ length: 16 }, (_, card) => `nvidia${card}`),
  'nvidia-uvm',
  'nvidia-uvm-tools',
  'nvidia-modeset',
  'nvidia-caps',
  'dma_heap',
  'mpp_service',
  'rga',
  'dxg',
].map((name) => `/dev/${name}`);

function confinement(files: FileAccess): string[] {
  const { read = [], write = [], run = [], usesGpu = false } = files;
  const own = read.filter((path) => findGuardedPath(path) === undefined);
  const search = ['PATH', 'LD_LIBRARY_PATH'].flatMap((name) => process.env[name]?.split(':') ?? []);
  const programs = search.filter((path) => path.startsWith('/') && !isBelow(PROGRAMS, path));
  const rules = (option: string, paths: readonly string[]) =>
    paths.map((path) => `--${option}=${path}`);
  return [
    '--confine',
    ...rules('run', [...PROGRAMS, ...programs, ...run]),
    ...rules('read', [...CONFIGURATION, ...KERNEL, '/var/cache/fontconfig', ...own]),
    ...rules(
      'input',
      listInputs(files).flatMap((path) => findGuardedPath(path) ?? []),
    ),
    ...rules('write', write),
    ...rules('device', usesGpu ? [...DEVICES, ...GPUS] : DEVICES),
  ];
}

const isBelow = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

let found: string | undefined;

/** Where the launcher can be executed. */
const launcher = (): string => (found ??= locateLauncher());

function locateLauncher(): string {
  if (Bun.isStandaloneExecutable) return requireNative().loadProgram('launch');
  return join(import.meta.dir, `../../native/launch.linux-${process.arch}`);
}

/** Exists in the binary only; required, because those who start a child do not wait. */
export const requireNative = () =>
  require('../../native/load.ts') as typeof import('../../native/load.ts');
