import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log, LogLevel } from '../../core/log.ts';
import type { Account } from '../../core/account.ts';
import type { Binaries } from './binaries.ts';
import { ClusterError } from './errors.ts';
import { asAccount, CHILD_ENV, INHERITED, openFolder } from './launch.ts';

export type PostmasterOptions = {
  readonly clusterDir: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly flags: Readonly<Record<string, string | number>>;
  readonly log: Log;
};

export type Postmaster = {
  readonly pid: number;
  /** Settles when the process has ended, with how. */
  readonly exited: Promise<string>;
  /** Fast shutdown: ends sessions, writes a checkpoint. Resolves when the process is gone. */
  stop(): Promise<void>;
};

const STOP_PATIENCE_MS = 60_000;
const KEPT_LINES = 5;

/** Resolves when the server answers; rejects with its own words when it ends before. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { binaries, flags, log } = options;
  const fd = openFolder(options.clusterDir);
  const child = Bun.spawn(
    asAccount(options.account, [
      join(binaries.bin, 'postgres'),
      '-D',
      INHERITED,
      ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    // Ctrl-C in the terminal is for us, and we stop it last.
    { cwd: '/', env: CHILD_ENV, stdio: ['ignore', 'ignore', 'pipe', fd] },
  );
  closeSync(fd);

  const ready = Promise.withResolvers<void>();
  const last: string[] = [];
  let repairing = false;
  const onLine = (line: ServerLine) => {
    if (line.ready) ready.resolve();
    if (line.repair && !repairing) {
      repairing = true;
      log.warn('the database was not stopped cleanly: it repairs itself now');
    }
    last.push(line.text);
    if (last.length > KEPT_LINES) last.shift();
  };
  const logged = forwardServerLog(child.stderr, log, onLine);
  const exited = child.exited.then((code) => String(child.signalCode ?? `exit code ${code}`));
  const ended = exited.then(async (how) => {
    await logged;
    throw new ClusterError(`The database server did not start (${how}): ${last.join(' · ')}`);
  });
  const slow = setInterval(() => log.info('waiting for the database to start'), 10_000);
  await Promise.race([ready.promise, ended]).finally(() => clearInterval(slow));
  ended.catch(() => {});

  return {
    pid: child.pid,
    exited,
    async stop() {
      child.kill('SIGINT');
      const impatience = setTimeout(() => {
        log.error('the database does not stop: ending it, it will repair itself at the next start');
        child.kill('SIGQUIT');
      }, STOP_PATIENCE_MS);
      await exited;
      clearTimeout(impatience);
    },
  };
}

/** `backend type|process|SEVERITY:  text`, as log_line_prefix has it; no prefix before the settings are read. */
const LINE = /^(?:([a-z ]*)\|(\d+)\|)?([A-Z]+\d?):\s+(.*)$/;
const LEVELS: Partial<Record<string, LogLevel>> = {
  WARNING: 'warn',
  FATAL: 'warn',
  PANIC: 'error',
};
const REPAIR = /not properly shut down|was interrupted|^redo (starts|done|is not required)/;
/** A backend that had not noticed yet that its client closed, when the server was told to stop. */
const EXPECTED = /^terminating connection due to administrator command$/;
const READY = 'database system is ready to accept connections';

type ServerLine = {
  readonly level: LogLevel;
  readonly text: string;
  readonly process: string | undefined;
  readonly ready: boolean;
  /** The server repairs itself after a crash: worth showing although nothing is wrong. */
  readonly repair: boolean;
};

/**
 * ERROR is the answer to a statement of ours, which reports it itself: only for debugging, and without the
 * value that it may quote.
 */
export function readServerLine(line: string): ServerLine {
  const [, process, , severity = '', text = line] = LINE.exec(line) ?? [];
  const repair = REPAIR.test(text);
  return {
    level: repair ? 'info' : EXPECTED.test(text) ? 'debug' : (LEVELS[severity] ?? 'debug'),
    text: (severity === 'ERROR' ? text.replace(/".*(?:"|$)/, '"…"') : text).trim(),
    process: process || undefined,
    ready: text === READY,
    repair,
  };
}

/** Reads the server's log to its end. */
async function forwardServerLog(
  stream: ReadableStream<Uint8Array>,
  log: Log,
  onLine: (line: ServerLine) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = readServerLine(text);
      onLine(line);
      // A further line of a message that quotes a value.
      if (text.startsWith('\t')) continue;
      log[line.level](`database: ${line.text}`, line.process ? { process: line.process } : {});
    }
  }
}
