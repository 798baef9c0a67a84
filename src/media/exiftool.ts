import { existsSync } from 'node:fs';
import { findGuardedPath } from '../core/guarded-path.ts';
import { identifyFiles } from '../core/file-identity.ts';
import type { FileAccess } from '../core/launch.ts';
import { getFirst } from '../core/required.ts';
import { broken, interrupted, ToolMissing } from './errors.ts';
import { isBare, parseAnswer, type RawTags, UNOPENED } from './exiftool-answer.ts';
import {
  createSingleRuns,
  DATA_BYTES,
  type ExifToolProcess,
  ProcessEnded,
  startExifTool,
  toError,
} from './exiftool-process.ts';
import { TAG_ARGUMENTS } from './tags.ts';
import { type Proof, runProven } from './tool-proof.ts';
import { keepSample, type KeptSample, SAMPLE_MAKE, withSample } from './tool-samples.ts';

/** A file without a tag, a changed file that is not there, and an end of the process say nothing unless exiftool works. */
export type ExifTool = {
  /**
   * The tags of `TAG_ARGUMENTS`; a file without any gives an empty object. A guarded path takes a process of
   * its own, a tenth of a second.
   */
  read(path: string): Promise<RawTags>;
  /** Writes the bytes of a binary tag to `target`; false when the file has no such tag. */
  extract(path: string, tag: string, target: string): Promise<boolean>;
  /** Writes a file with changed tags to `target`, which must not exist; `changes` are arguments of exiftool. */
  rewrite(path: string, changes: readonly string[], target: string): Promise<void>;
  /** Ends the processes; work in progress is rejected. */
  close(): Promise<void>;
};

export type ExifToolOptions = {
  /** Where the files are that it may be given, and where it may write. */
  readonly files: FileAccess;
  /** Most of them. */
  readonly processes?: number;
  /** A file that has waited so long for the others gets another process, 18 MiB. */
  readonly startAfterMs?: number;
  /** Per file. exiftool needs milliseconds; a hostile file must not need minutes. */
  readonly timeoutMs?: number;
  /** Perl never gives memory back, so a process is replaced after this many files. */
  readonly filesPerProcess?: number;
  readonly idleMs?: number;
  readonly command?: readonly string[];
};

const DEFAULTS = {
  processes: 1,
  // A process reads a hundred photos per second. Beside decoders of pictures its start alone takes half a second.
  startAfterMs: 2000,
  timeoutMs: 20_000,
  filesPerProcess: 1000,
  idleMs: 10_000,
  command: ['exiftool'],
} as const satisfies Required<Omit<ExifToolOptions, 'files'>>;

/** Each tag once, with its group, and text of unknown encoding so that no letter is lost: see exiftool-answer.ts. */
const READ = ['-j', '--a', '-struct', '-G1', '-charset', 'exif=latin', '-charset', 'iptc=latin'];

/** The warning of ExifTool when the module in native/perl does not find `brotli`. */
const LACKS_BROTLI = /^Install IO::Uncompress::Brotli/;

const COMMON = ['-charset', 'filename=utf8', '-api', 'largefilesupport=1', '-q', '-q', '-m'];

type Task = {
  readonly args: readonly string[];
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
  /** In ms of `performance.now()`. */
  readonly since: number;
  /** A crash may be the fault of the process or of the file, or the file needs more memory: the second process decides. */
  retried: boolean;
};

type Slot = {
  process: ExifToolProcess | undefined;
  /** Identity of the program when the process was started. */
  program: string | undefined;
  busy: boolean;
};

let shared: ExifTool | undefined;

/** From now on `openExifTool` returns one exiftool with these options: tests open hundreds. */
export function shareExifTool(options: ExifToolOptions): void {
  shared = { ...createExifTool(options), close: async () => {} };
}

export const openExifTool = (options: ExifToolOptions): ExifTool =>
  shared ?? createExifTool(options);

/**
 * Starts nothing until the first file, and another process where a file waits; stops its processes after ten
 * seconds without work.
 */
export function createExifTool(options: ExifToolOptions): ExifTool {
  const settings = { ...DEFAULTS, ...options };
  const pool = createPool(settings);
  let sample: KeptSample | undefined;
  let keeping: Promise<void> | undefined;

  const proof: Proof = { tool: getFirst(settings.command), prove };
  async function prove(): Promise<void> {
    const folder = settings.files.write?.[0];
    if (folder) return withSample('photo', readSample, folder);
    const isThere = sample !== undefined && existsSync(sample.path);
    if (!isThere) await (keeping ??= keepReadableSample().finally(() => (keeping = undefined)));
    if (sample) await readSample(sample.path);
  }

  /** Where the processes may read no folder that we write to, new ones may read a sample: one for all proofs. */
  async function keepReadableSample(): Promise<void> {
    await sample?.remove();
    sample = await keepSample('photo');
    if (pool.isClosed()) return sample.remove();
    pool.allow(sample.path);
  }

  async function readSample(path: string): Promise<void> {
    const text = await pool.run([...COMMON, '-j', '-Make', safePath(path)]);
    if (parseAnswer(text)['Make'] !== SAMPLE_MAKE) throw new Error('no EXIF was read');
  }

  async function readOnce(path: string): Promise<RawTags> {
    const args = [...COMMON, ...READ, ...TAG_ARGUMENTS];
    const isGuarded = findGuardedPath(path) !== undefined;
    const answer = await (isGuarded
      ? pool.runGuarded(args, path)
      : pool.run([...args, safePath(path)]));
    const tags = parseAnswer(answer);
    if (tags['SourceFile'] === undefined) throw interrupted('exiftool could not open the file');
    if (LACKS_BROTLI.test(String(tags['Warning']))) throw new ToolMissing('brotli');
    return tags;
  }

  return {
    read: (path) => runProven(proof, () => readOnce(path), isBare),
    async rewrite(path, changes, target) {
      const args = [...COMMON, ...changes, '-o', safePath(target), safePath(path)];
      await runProven(
        proof,
        () => pool.run(args),
        () => !existsSync(target),
      );
      if (!existsSync(target)) throw broken('exiftool could not change the file');
    },
    async extract(path, tag, target) {
      if (!/^[A-Za-z0-9]+$/.test(tag)) throw new Error(`Not a tag name: ${tag}`);
      if (target.includes('%')) throw new Error('exiftool reads % in a target as a pattern');
      // %0f is an empty field: without any field, -W takes the target for a file extension.
      const pattern = `${safePath(target)}%0f`;
      const args = [...COMMON, '-b', `-${tag}`, '-W!', pattern, safePath(path)];
      const isFound = async () => (await pool.run(args), Bun.file(target).size > 0);
      return runProven(proof, isFound, (found) => !found);
    },
    async close() {
      await pool.close();
      await sample?.remove();
    },
  };
}

const createSlot = (): Slot => ({ process: undefined, program: undefined, busy: false });

const isOver = ({ process }: Slot, { filesPerProcess }: Settings): boolean =>
  process !== undefined && (process.dead() || process.served() >= filesPerProcess);

function stopProcess(slot: Slot): void {
  slot.process?.kill();
  slot.process = undefined;
}

/** The processes of one ExifTool, and the files that wait for them. */
function createPool(settings: Settings) {
  // Our exiftool has another path when it changes.
  const programs = ['perl', getFirst(settings.command)].map((name) => Bun.which(name) ?? '');
  const slots: Slot[] = Array.from({ length: settings.processes }, createSlot);
  const waiting: Task[] = [];
  let closed = false;
  let idle: Timer | undefined;
  let starting: Timer | undefined;
  const { runLarge, runGuarded } = createSingleRuns(settings, () => closed);
  let { files } = settings;

  /** Returns undefined when all are busy, or another process is started only if the file still waits later. */
  function findSlot({ since }: Task): Slot | undefined {
    const free = slots.filter(({ busy }) => !busy);
    const started = free.find(({ process }) => process !== undefined);
    const waitMs = since + settings.startAfterMs - performance.now();
    if (started || free.length === slots.length || waitMs <= 0) return started ?? free[0];
    if (free.length > 0) starting = later(pump, waitMs);
    return undefined;
  }

  function pump(): void {
    clearTimeout(idle);
    clearTimeout(starting);
    for (let [task] = waiting; task; [task] = waiting) {
      const slot = findSlot(task);
      if (!slot) break;
      waiting.shift();
      slot.busy = true;
      void work(slot, task).finally(() => {
        slot.busy = false;
        pump();
      });
    }
    if (slots.every((slot) => !slot.busy)) idle = later(stopIdle, settings.idleMs);
  }

  function stopIdle(): void {
    for (const slot of slots) {
      if (!slot.busy) stopProcess(slot);
    }
  }

  async function work(slot: Slot, task: Task): Promise<void> {
    // After an upgrade of its package a process would load modules of another version.
    const program = identifyFiles(programs);
    if (slot.program !== program || isOver(slot, settings)) stopProcess(slot);
    slot.program = program;
    try {
      const answer = task.retried
        ? await runLarge(files, task.args)
        : await (slot.process ??= startExifTool(settings.command, files, DATA_BYTES)).run(
            task.args,
            settings.timeoutMs,
          );
      // Its folders were made again, or mounted, since it started: a new process may read them.
      if (UNOPENED.test(answer)) throw new ProcessEnded('exiftool could not open the file');
      task.resolve(answer);
    } catch (error) {
      stopProcess(slot);
      const crash = error instanceof ProcessEnded;
      if (crash && !task.retried && !closed) {
        task.retried = true;
        waiting.unshift(task);
      } else
        task.reject(crash ? interrupted('exiftool ended on this file', error) : toError(error));
    }
  }

  const run: Run = (args) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error('exiftool is closed'));
      waiting.push({ args, resolve, reject, since: performance.now(), retried: false });
      pump();
    });

  return {
    run,
    runGuarded,
    isClosed: () => closed,
    /** New processes may read this file, too. */
    allow(path: string): void {
      files = { ...settings.files, read: [...(settings.files.read ?? []), path] };
      for (const slot of slots) slot.program = undefined;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(idle);
      clearTimeout(starting);
      for (const task of waiting.splice(0)) task.reject(new Error('exiftool is closed'));
      for (const { process } of slots) {
        process?.kill();
        await process?.ended;
      }
    },
  };
}

type Settings = Required<ExifToolOptions>;
type Run = (args: readonly string[]) => Promise<string>;

/** Arguments are one per line, and only an absolute path cannot be read as an option or comment. */
function safePath(path: string): string {
  if (!path.startsWith('/') || /[\n\r\0]/.test(path))
    throw new Error('exiftool needs an absolute path without line breaks');
  return path;
}

function later(run: () => void, ms: number): Timer {
  const timer = setTimeout(run, ms);
  timer.unref();
  return timer;
}
