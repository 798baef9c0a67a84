import type { Flag } from '../core/command-line.ts';
import { createLog, type Log, writeToStandardError } from '../core/log.ts';
import type { Command, Settings } from '../core/settings.ts';
import { hideProgress } from './progress.ts';

/** One command of the binary: its file is loaded when it is called. */
export type CommandSpec = {
  /** Arguments after the name of the command, as --help shows them. */
  readonly usage?: string;
  /** The text of --help below the usage. */
  readonly help: string;
  /** Flags besides the settings. */
  readonly flags?: readonly Flag[];
  /** Number of positional arguments. */
  readonly words?: number;
  /** Resolves to the exit code. Throws UsageError (code 2) or an Error with a text for the owner. */
  readonly run: (call: Command) => Promise<number>;
};

export const createCommandLog = (settings: Settings): Log =>
  createLog({ level: settings.logLevel, format: settings.logFormat });

/** Returns a log of warnings and errors, for commands whose result is their output. */
export const createQuietLog = (settings: Settings): Log =>
  createLog({
    level: settings.logLevel === 'debug' ? 'debug' : 'warn',
    format: settings.logFormat,
    write(line, level) {
      hideProgress();
      writeToStandardError(line, level);
    },
  });

export function print(text: string): void {
  hideProgress();
  process.stdout.write(`${text}\n`);
}
