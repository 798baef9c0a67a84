import { type FileAccess, launch, type LaunchOptions } from '../core/launch.ts';
import { buildChildEnvironment, getRoleCommand, listOwnFiles } from '../core/own-program.ts';
import { getExifToolCommand, listExifToolFolders } from './exiftool-program.ts';

// The programs that handle bytes of strangers. They are started here only: by this process, or by the
// media host for it.

/** A program to start; plain JSON, which the media host receives. */
export type ProgramRequest = {
  /** A key of PROGRAMS. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: Pick<
    LaunchOptions,
    'cpuSeconds' | 'memoryBytes' | 'dataBytes' | 'fileBytes' | 'nice'
  >;
  readonly files: FileAccess;
  readonly cwd?: string | undefined;
  /** The mask of the files that it makes. */
  readonly umask: number;
  readonly stdin: 'pipe' | 'ignore';
  readonly stderr: 'pipe' | 'ignore' | 'inherit';
};

type Program = {
  /** Replaces the name, for a role of this program and what it brings along. */
  readonly command?: () => readonly string[];
  /** FileAccess.run of such a program. */
  readonly run?: () => readonly string[];
  readonly env?: () => Readonly<Record<string, string>>;
  /** Whether these are arguments of ours; left out where all are. */
  readonly accepts?: (args: readonly string[]) => boolean;
};

/**
 * exiftool takes its commands from standard input. No user configuration (it is Perl code). No `-fast2`,
 * which skips maker notes and with them Apple's ContentIdentifier and BurstUUID.
 */
export const EXIFTOOL_ARGUMENTS: readonly string[] = [
  '-config',
  '',
  '-stay_open',
  'True',
  '-@',
  '-',
];

/**
 * Bun's allocator keeps what a picture took for the next one, for 100 ms. As it comes, it gives pages back
 * within milliseconds, and the kernel clears the same 12 MiB anew for every picture; those of a whole
 * second are 20 MiB more for each child, and save 2 ms of a photo.
 */
const KEEP_PAGES = { MIMALLOC_PURGE_DELAY: '100' };

const GPU_VARIABLES = ['CUDA_VISIBLE_DEVICES', 'VK_ICD_FILENAMES'];

const hasNone = (args: readonly string[]) => args.length === 0;

export const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['ffmpeg', { accepts: (args) => args[0] === '-nostdin' || args[0] === '-version' }],
  ['ffprobe', {}],
  ['heif-convert', {}],
  ['heif-info', {}],
  ['convert', {}],
  ['dcraw_emu', {}],
  ['jxlinfo', {}],
  ['fc-list', {}],
  [
    'exiftool',
    {
      command: getExifToolCommand,
      run: listExifToolFolders,
      accepts: (args) => Bun.deepEquals(args, EXIFTOOL_ARGUMENTS),
    },
  ],
  [
    'image-worker',
    {
      command: () => getRoleCommand('image-worker'),
      run: () => listOwnFiles(['sharp']),
      env: () => ({ ...buildChildEnvironment(), ...KEEP_PAGES }),
      accepts: hasNone,
    },
  ],
  [
    'inference',
    {
      command: () => getRoleCommand('inference'),
      run: () => listOwnFiles(['sharp', 'onnxruntime-node']),
      env: () => buildChildEnvironment(GPU_VARIABLES),
      accepts: hasNone,
    },
  ],
  [
    'archive-reader',
    {
      command: () => getRoleCommand('archive-reader'),
      run: () => listOwnFiles([]),
      env: () => buildChildEnvironment(),
      accepts: ([path = '', ...more]) => path.startsWith('/') && more.length === 0,
    },
  ],
  [
    'prepare-model',
    {
      command: () => getRoleCommand('prepare-model'),
      run: () => listOwnFiles([]),
      env: () => buildChildEnvironment(),
      // A recipe, a digest, a file, names of values.
      accepts: ([recipe = '', digest = '', file = '']) =>
        /^[a-z-]+$/.test(recipe) && /^[\da-f]{64}$/.test(digest) && file.startsWith('/'),
    },
  ],
]);

/** Nothing of ours is inherited: no database URL, no proxy, no user configuration of the tools. */
export const TOOL_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: '/nonexistent',
  // 64 MiB of address space per thread otherwise, which a memory limit counts.
  MALLOC_ARENA_MAX: '2',
  ...(process.env['LD_LIBRARY_PATH'] ? { LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] } : {}),
};

/**
 * Starts a program as a child of this process: it ends with us, has limits, no network, and access to its
 * files only.
 */
export function startProgram(request: ProgramRequest) {
  const { program, args, limits, files, cwd, stdin, stderr } = request;
  const { command, run, env } = PROGRAMS.get(program) ?? {};
  return Bun.spawn(
    launch([...(command?.() ?? [program]), ...args], {
      ...limits,
      death: 'KILL',
      files: run ? { ...files, run: run() } : files,
    }),
    {
      stdin,
      stdout: 'pipe',
      stderr,
      env: { ...(env?.() ?? TOOL_ENV) },
      ...(cwd !== undefined && { cwd }),
    },
  );
}

export type LocalProcess = ReturnType<typeof startProgram>;

/** Ends a process of a group of its own, and everything that it has started. */
export function killGroup(
  child: Pick<Bun.Subprocess, 'pid' | 'exitCode' | 'signalCode' | 'kill'>,
): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
