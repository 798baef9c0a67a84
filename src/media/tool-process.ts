import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getUmask } from '../core/data-folder.ts';
import { DiskFullError } from '../core/disk-errors.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import type { FileAccess } from '../core/launch.ts';
import { getFirst } from '../core/required.ts';
import type { Settings } from '../core/settings.ts';
import { interrupted, killed, MediaError, ToolMissing } from './errors.ts';
import { GOOD_RUNS } from './good-runs.ts';
import { startRemotely } from './host/client.ts';
import { type WatchEnd, watchProcess } from './process-stat.ts';
import { type ProgramRequest, startProgram } from './programs.ts';
import { type ToolChild, toToolChild } from './tool-child.ts';
import { type Proof, requireWorking, runProven } from './tool-proof.ts';
import { withSample } from './tool-samples.ts';

export type ToolLimits = {
  readonly cpuSeconds?: number | undefined;
  /** Address space in bytes. Left out for GPU encoders, which map far more than they use. */
  readonly memoryBytes?: number | undefined;
  /** Private memory that it may write to, in bytes: what it really allocates (RLIMIT_DATA). */
  readonly dataBytes?: number | undefined;
  /** Added to the niceness. */
  readonly nice?: number | undefined;
  readonly usesGpu?: boolean | undefined;
  readonly files?: FileAccess | undefined;
  /** The file that the tool writes, limited to the free space. */
  readonly output?: string | undefined;
};

export type ToolOptions = ToolLimits & {
  /** The tool and its children are killed after it: see watchProcess. */
  readonly timeoutMs: number;
  /** Without processor time or output for so long, it is killed. */
  readonly stallMs?: number | undefined;
  /** More on its standard output is not plausible. */
  readonly maxOutputBytes?: number | undefined;
  /** Where it runs; by default where we do. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStdout?: (text: string) => void;
};

export type ToolResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_STDERR_CHARS = 4096;

let reserveBytes = 0;

/** Sets the bytes that tools leave free on the disk. */
export function setDiskReserve(bytes: number): void {
  reserveBytes = bytes;
}

/** All may be read. The output is written with its folder: it may not be there yet. */
function listNamedFiles(command: readonly string[], output: string | undefined): FileAccess {
  const read = command.flatMap((word) => /^(?:file:)?((?:guarded:)?\/.*)$/s.exec(word)?.[1] ?? []);
  return { read, write: output === undefined ? [] : [dirname(output)] };
}

function getSpaceFor(output: string): number {
  const space = getFreeBytes(dirname(output)) - reserveBytes;
  if (space <= 0) throw new DiskFullError(`There is no space for ${output}`);
  return space;
}

type Stdio = Pick<ProgramRequest, 'stdin' | 'stderr' | 'cwd'>;

let mediaHost: string | undefined;
let umask = getUmask('none');

/** Lets a media host start all tools, where there is one. */
export function setMediaHost({ mediaSocket, groupAccess }: MediaHostSettings): void {
  mediaHost = mediaSocket;
  umask = getUmask(groupAccess);
}

type MediaHostSettings = Pick<Settings, 'mediaSocket' | 'groupAccess'>;

/**
 * Starts a tool, sandboxed: it ends with us, has limits, no network, and access to `files` only (by
 * default those that the command names). Throws DiskFull.
 */
export function spawnTool(
  command: readonly string[],
  { files, usesGpu = false, output, ...limits }: ToolLimits,
  { stdin, stderr, cwd }: Stdio,
): ToolChild {
  const { cpuSeconds, memoryBytes, dataBytes, nice } = limits;
  const fileBytes = output === undefined ? undefined : getSpaceFor(output);
  const access = files ?? listNamedFiles(command, output);
  const request: ProgramRequest = {
    program: getFirst(command),
    args: command.slice(1),
    limits: { cpuSeconds, memoryBytes, dataBytes, fileBytes, nice },
    files: { ...access, usesGpu },
    cwd,
    umask,
    stdin,
    stderr,
  };
  return mediaHost === undefined
    ? toToolChild(startProgram(request))
    : startRemotely(mediaHost, request);
}

type EndedProcess = Pick<ToolChild, 'exitCode' | 'signalCode' | 'failure'>;

/** Signals of people, of supervisors, and of a system without memory. */
const OUTSIDE_SIGNALS: ReadonlySet<string> = new Set([
  'SIGKILL',
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
]);

/** ffmpeg ends itself when it gets SIGTERM or SIGINT, and leaves half of its output. */
const FFMPEG_SIGNALLED = 255;

/** The launcher of children: it could not confine the program, or the file is behind a link by now. */
const NOT_LAUNCHED = 125;
/** The program, or a library of it, cannot be executed or is not there. */
const NOT_EXECUTED: ReadonlySet<number | null> = new Set([126, 127]);

/**
 * Returns the error of a tool whose end says nothing about its file, however tools are run: it was ended by a timeout,
 * a stall, a signal or with the media host, or could not be started. Undefined: it ended by itself.
 */
export function explainEnd(
  child: EndedProcess,
  tool: string,
  { cause, stderr = '' }: { readonly cause?: WatchEnd | undefined; readonly stderr?: string } = {},
): Error | undefined {
  const { exitCode, signalCode, failure } = child;
  if (failure) return failure;
  // SIGXCPU (24) ends a tool that used up its processor time.
  if (cause === 'timeout' || signalCode === 'SIGXCPU' || exitCode === 128 + 24)
    return new MediaError('timeout', `${tool} took too long`);
  if (cause === 'starved') return killed(`${tool} got too little processor time and was ended`);
  if (cause === 'stall') return interrupted(`${tool} made no progress and was ended`);
  if (signalCode !== null) {
    const end = OUTSIDE_SIGNALS.has(String(signalCode)) ? killed : interrupted;
    return end(`${tool} was ended by ${signalCode}`);
  }
  if (exitCode === FFMPEG_SIGNALLED && tool.startsWith('ff'))
    return killed(`${tool} was told to end`);
  if (NOT_EXECUTED.has(exitCode))
    return new ToolMissing(findMissingTool(stderr) ?? tool, { cause: stderr });
  if (exitCode === NOT_LAUNCHED) return interrupted(`${tool} could not be started for this file`);
  return undefined;
}

/** SIGXFSZ (25) ends a tool whose output passes its limit. */
const isFileTooLarge = ({ exitCode, signalCode }: EndedProcess): boolean =>
  signalCode === 'SIGXFSZ' || exitCode === 128 + 25;

/** Returns whether a write failed because the child has closed its standard input. */
export const isPipeError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

/**
 * Runs a tool on a possibly hostile file. It may read the files that its command names, and write
 * to the folder of its output. Resolves with any exit code, after another one than 0 only if the tool works on a good
 * file; throws MediaError 'timeout', 'interrupted', 'killed' or 'too-large', ToolMissing, ToolBroken, DiskFull,
 * StorageUnavailable, MediaHostUnavailable, or the abort reason of `signal`.
 */
export function runTool(command: readonly string[], options: ToolOptions): Promise<ToolResult> {
  const proof = getToolProof(getFirst(command));
  const run = () => runOnce(command, options);
  if (!proof) return run();
  // Output that a caller has listened to cannot be taken back.
  const isRepeatable = options.onStdout === undefined;
  return runProven({ ...proof, isRepeatable }, run, (result) => isFailure(result, options));
}

/** dcraw_emu says that it has not understood a file, and ends with 0. */
const isFailure = ({ code, stderr }: ToolResult, { output }: ToolOptions): boolean =>
  code !== 0 || (stderr !== '' && output !== undefined && !existsSync(output));

/** Throws ToolBroken or another fault of the machine unless this tool works on a good file. */
export async function requireWorkingTool(tool: string): Promise<void> {
  const proof = getToolProof(tool);
  if (proof) await requireWorking(proof);
}

/** Returns how a tool is proven to work; undefined for one that gives no verdicts about files. */
function getToolProof(tool: string): Proof | undefined {
  const known = GOOD_RUNS[tool];
  if (!known) return undefined;
  const prove = () =>
    withSample(known.sample, async (path, folder) => {
      const output = known.output === undefined ? undefined : join(folder, known.output);
      const command = [tool, ...known.toArguments(path, output ?? '')];
      const result = await runOnce(command, { ...PROOF_LIMITS, output });
      const isEmpty = output === undefined ? result.stdout === '' : !existsSync(output);
      if (result.code !== 0 || isEmpty)
        throw new Error(getLastLine(result.stderr) || `exit ${result.code}, no output`);
    });
  return { tool, prove };
}

const PROOF_LIMITS = { timeoutMs: 20_000, cpuSeconds: 20, memoryBytes: 2 * 1024 ** 3 };

async function runOnce(command: readonly string[], options: ToolOptions): Promise<ToolResult> {
  options.signal?.throwIfAborted();
  const { cwd, onStdout: listen } = options;
  const tool = getFirst(command);
  const child = spawnTool(command, options, { stdin: 'ignore', stderr: 'pipe', cwd });
  let cause: WatchEnd | undefined;
  const kill = () => child.kill();
  const stop = (reason: WatchEnd) => {
    cause ??= reason;
    kill();
  };
  const { timeoutMs: limitMs, stallMs, maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  const watch = watchProcess(child.stat, stop, { limitMs, stallMs });
  options.signal?.addEventListener('abort', kill, { once: true });
  try {
    const onStdout = listen && ((text: string) => (watch.touch(), listen(text)));
    const [stdout, stderr, code] = await Promise.all([
      collect(child.stdout, { onText: onStdout, kill, maxBytes: maxOutputBytes }),
      readTail(child.stderr),
      child.exited,
    ]);
    options.signal?.throwIfAborted();
    if (isFileTooLarge(child)) throw new DiskFullError(`${tool} filled the space that it had`);
    const end = explainEnd(child, tool, { cause, stderr });
    if (end) throw end;
    if (code !== 0 && NO_SPACE.test(stderr))
      throw new DiskFullError(`${tool}: ${getLastLine(stderr)}`);
    const overPixels = code === 0 ? undefined : TOO_MANY_PIXELS.exec(stderr)?.[0];
    if (overPixels) throw new MediaError('too-large', `${tool}: ${overPixels}`);
    if (code !== 0 && OUT_OF_MEMORY.test(stderr))
      throw interrupted(`${tool}: ${getLastLine(stderr)}`);
    return { code, stdout, stderr };
  } finally {
    watch.stop();
    options.signal?.removeEventListener('abort', kill);
  }
}

/** Messages about a full disk or an exceeded file size limit. */
const NO_SPACE = /no space left on device|disk quota exceeded|file too large/i;
/** Messages of tools about pictures above the pixel limit. */
const TOO_MANY_PIXELS =
  /max pixel count|security limit|cache resources exhausted|picture size \d{4,}x\d{4,} is invalid/i;
/** Messages of tools that ran out of memory. */
export const OUT_OF_MEMORY =
  /cannot allocate memory|(out of|insufficient|unable to allocate) memory|memory allocation|bad_alloc/i;

/** Messages about a disk or a network share that could not be read. */
export const DISK_FAULT =
  /(input\/output|i\/o) error|stale file handle|not connected|host is down/i;

/** The last line of what a tool printed: it usually names the fault. */
export const getLastLine = (text: string): string =>
  text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';

/** A wrapper may name the program that it could not run. */
const findMissingTool = (stderr: string): string | undefined =>
  /failed to execute (?:.*\/)?([\w-]+)/.exec(stderr)?.[1];

type Collecting = {
  readonly onText: ((text: string) => void) | undefined;
  readonly kill: () => void;
  readonly maxBytes: number;
};

async function collect(
  stream: ReadableStream<Uint8Array>,
  { onText, kill, maxBytes }: Collecting,
): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (onText) onText(text);
    else parts.push(text);
    size += onText ? 0 : chunk.byteLength;
    if (size > maxBytes) {
      kill();
      throw new MediaError('broken', 'The tool printed more than is plausible');
    }
  }
  return parts.join('');
}

/** The last words of a tool usually name the fault; the rest may be megabytes of warnings. */
export async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let kept = '';
  for await (const chunk of stream)
    kept = (kept + decoder.decode(chunk, { stream: true })).slice(-MAX_STDERR_CHARS);
  return kept;
}
