import type { Log, LogLevel } from '../../core/log.ts';

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

export type ServerLine = {
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
export async function forwardServerLog(
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
