import { type FileAccess, getInputPath } from '../core/launch.ts';
import { getFirst } from '../core/required.ts';
import { broken, interrupted, ToolMissing } from './errors.ts';
import { type WatchEnd, watchProcess } from './process-stat.ts';
import { EXIFTOOL_ARGUMENTS } from './programs.ts';
import { explainEnd, isPipeError, spawnTool } from './tool-process.ts';

const MEMORY_BYTES = 1024 ** 3;
const MAX_ANSWER = 16 * 1024 * 1024;

/** The process ended before it had answered. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

export type ExifToolProcess = {
  run(args: readonly string[], timeoutMs: number): Promise<string>;
  served(): number;
  dead(): boolean;
  kill(): void;
  readonly ended: Promise<unknown>;
};

/** `dataBytes`: private memory that it may write to. */
export function startExifTool(
  command: readonly string[],
  files: FileAccess,
  dataBytes: number,
): ExifToolProcess {
  const limits = { memoryBytes: MEMORY_BYTES, dataBytes, files };
  // Warnings: of interest in a terminal only, and a full pipe would stop the process.
  const child = spawnTool([...command, ...EXIFTOOL_ARGUMENTS], limits, {
    stdin: 'pipe',
    stderr: 'ignore',
  });
  const reader = child.stdout.getReader();
  let served = 0;
  let dead = false;
  void child.exited.then(() => {
    dead = true;
  });

  async function answer(id: number): Promise<string> {
    const decoder = new TextDecoder();
    const end = `{ready${id}}\n`;
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new ProcessEnded('exiftool ended');
      text += decoder.decode(value, { stream: true });
      if (text.endsWith(end)) return text.slice(0, -end.length);
      if (text.length > MAX_ANSWER) throw broken('exiftool printed more than is plausible');
    }
  }

  return {
    async run(args, timeoutMs) {
      const id = ++served;
      const timeout = Promise.withResolvers<never>();
      const end = (reason: WatchEnd) =>
        timeout.reject(explainEnd(child, 'exiftool', { cause: reason }) as Error);
      const watch = watchProcess(child.stat, end, {
        limitMs: timeoutMs,
        stallMs: timeoutMs,
      });
      try {
        const reading = answer(id);
        // Lost the race against the timeout: the process is killed, and this read ends with it.
        reading.catch(() => {});
        void child.stdin.write(`${args.join('\n')}\n-execute${id}\n`);
        await child.stdin.flush();
        return await Promise.race([reading, timeout.promise]);
      } catch (error) {
        // A closed pipe shows as EPIPE before the end of the output does.
        if (!isPipeError(error) && !(error instanceof ProcessEnded)) throw error;
        await child.exited;
        if (child.failure) throw child.failure;
        const end = explainEnd(child, getFirst(command));
        throw end instanceof ToolMissing ? end : toEnded(end ?? error);
      } finally {
        watch.stop();
      }
    },
    served: () => served,
    dead: () => dead,
    kill: () => child.kill(),
    ended: child.exited,
  };
}

const toEnded = (cause: Error) => new ProcessEnded('exiftool ended', { cause });

/** Enough for nearly every file: as many processes run as there are cores, and hostile files come together. */
export const DATA_BYTES = 80 * 1024 ** 2;
/** It reads the largest tag, a preview or a video of some megabytes, as a whole and more than once. */
const LARGE_DATA_BYTES = 400 * 1024 ** 2;

let largeTurn: Promise<unknown> = Promise.resolve();

type RunSettings = {
  readonly command: readonly string[];
  readonly files: FileAccess;
  readonly timeoutMs: number;
};

/** Runs of exiftool in a process of their own. */
export function createSingleRuns(settings: RunSettings, isClosed: () => boolean) {
  async function runOnce(files: FileAccess, args: readonly string[], dataBytes: number) {
    if (isClosed()) throw new Error('exiftool is closed');
    const process = startExifTool(settings.command, files, dataBytes);
    try {
      return await process.run(args, settings.timeoutMs);
    } finally {
      process.kill();
      await process.ended;
    }
  }

  /** In a process with more memory, of which this thread has one at a time. */
  const runLarge = (files: FileAccess, args: readonly string[]): Promise<string> => {
    const running = largeTurn.then(() => runOnce(files, args, LARGE_DATA_BYTES));
    largeTurn = running.catch(() => {});
    return running;
  };

  /** A process gets guarded paths as descriptors, and those only when it starts. */
  async function runGuarded(given: readonly string[], path: string): Promise<string> {
    const { read = [], ...others } = settings.files;
    const files = { ...others, read: [...read, path] };
    const args = [...given, getInputPath(0)];
    try {
      return await runOnce(files, args, DATA_BYTES).catch((error: unknown) => {
        if (error instanceof ProcessEnded) return runLarge(files, args);
        throw error;
      });
    } catch (error) {
      throw error instanceof ProcessEnded
        ? interrupted('exiftool ended on this file', error)
        : toError(error);
    }
  }

  return { runLarge, runGuarded };
}

export const toError = (error: unknown) =>
  error instanceof Error ? error : new Error(String(error));
