import { getCorrelationId } from './correlation.ts';
import { rememberLine } from './recent-log.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

/** One line per event: a short fixed message, with everything that varies in fields. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>> & {
  /** The same log with these fields on every line. */
  with(fields: LogFields): Log;
};

/** The least weight of a line that is written. */
export type LogThreshold = LogLevel | 'off';

/** Message of the line for each request, which would push the others out of what is remembered. */
export const REQUEST = 'request';

let configured: LogThreshold = 'info';

/** Sets the threshold of all logs of this thread that have none of their own. */
export function setConfiguredThreshold(threshold: LogThreshold): void {
  configured = threshold;
}

export type LogOptions = {
  /** Undefined: as administrators have configured. */
  readonly level: LogLevel | undefined;
  readonly format: 'json' | 'pretty';
  readonly write?: (line: string) => void;
};

export function createLog(options: LogOptions, base: LogFields = {}): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const render = options.format === 'json' ? renderJson : renderPretty;
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    const threshold = options.level ?? configured;
    if (threshold === 'off' || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold)) return;
    const correlationId = getCorrelationId();
    const shown = { ...base, ...fields, ...(correlationId !== undefined && { correlationId }) };
    const line = `${render(level, message, shown)}\n`;
    write(line);
    if (!options.write && message !== REQUEST) rememberLine(line);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => createLog(options, { ...base, ...fields }),
  };
}

const renderJson = (level: LogLevel, message: string, fields: LogFields) =>
  JSON.stringify({ time: new Date().toISOString(), level, message, ...toPlainFields(fields) });

const COLORS: Record<LogLevel, string> = { debug: '90', info: '36', warn: '33', error: '31' };

function renderPretty(level: LogLevel, message: string, fields: LogFields): string {
  const time = new Date().toISOString().slice(11, 19);
  const rest = Object.entries(toPlainFields(fields)).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return ` \u001B[90m${key}=\u001B[0m${text}`;
  });
  return `\u001B[90m${time}\u001B[0m \u001B[${COLORS[level]}m${level.padEnd(5)}\u001B[0m ${message}${rest.join('')}`;
}

/** Replaces errors by their stack: JSON would leave it out. */
const toPlainFields = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? describeError(value) : value,
    ]),
  );

/**
 * Returns the stack of an error, without the parameters of a query that failed, which drizzle puts into
 * the message: they are e-mail addresses, names and hashes of people.
 */
export function describeError(error: Error): string {
  const { message, stack = message } = error;
  const shown = getErrorMessage(error);
  const text = shown === message ? stack : stack.replace(message, () => shown);
  return stack.includes(message) ? text : `${error.name}: ${shown}\n${stack}`;
}

/** Returns the message of an error, without the parameters of a query. */
export function getErrorMessage(error: Error): string {
  if (!('query' in error && 'params' in error)) return error.message;
  const reason = error.cause instanceof Error ? error.cause.message : 'unknown reason';
  return `Failed query (${reason}): ${String(error.query)}`;
}

export const silentLog: Log = createLog({ level: 'error', format: 'json', write: () => {} });
