import { getCorrelationId } from './correlation.ts';
import { cutText } from './error-text.ts';
import { writeLines } from './journal.ts';
import { type Loggable, type LogFields, toPlainFields } from './log-fields.ts';
import { rememberLine } from './recent-log.ts';

export { describeError, getErrorMessage } from './error-text.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type WriteEvent = <Fields extends LogFields>(
  message: string,
  fields?: Fields & Loggable<Fields>,
) => void;

/** One line per event: a short fixed message, with everything that varies in fields. */
export type Log = Readonly<Record<LogLevel, WriteEvent>> & {
  /** The same log with these fields on every line. */
  with<Fields extends LogFields>(fields: Fields & Loggable<Fields>): Log;
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
  readonly write?: (line: string, level: LogLevel) => void;
};

export const writeToStandardError = (line: string, level: LogLevel): void =>
  writeLines(2, level, line);

export function createLog(options: LogOptions, base: LogFields = {}): Log {
  const write = options.write ?? writeToStandardError;
  const render = options.format === 'json' ? renderJson : renderPretty;
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    const threshold = options.level ?? configured;
    if (threshold === 'off' || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold)) return;
    const correlationId = getCorrelationId();
    const shown = { ...base, ...fields, ...(correlationId !== undefined && { correlationId }) };
    const line = `${render(level, message, shown)}\n`;
    write(line, level);
    if (!options.write && message !== REQUEST) rememberLine(line, level);
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
  JSON.stringify({
    time: new Date().toISOString(),
    level,
    message: cutText(message),
    ...toPlainFields(fields),
  });

const COLORS: Record<LogLevel, string> = { debug: '90', info: '36', warn: '33', error: '31' };

function renderPretty(level: LogLevel, message: string, fields: LogFields): string {
  const time = new Date().toISOString().slice(11, 19);
  const rest = Object.entries(toPlainFields(fields)).map(
    ([key, value]) => ` \u001B[90m${key}=\u001B[0m${toPrintable(String(value))}`,
  );
  return `\u001B[90m${time}\u001B[0m \u001B[${COLORS[level]}m${level.padEnd(5)}\u001B[0m ${toPrintable(cutText(message))}${rest.join('')}`;
}

/** Nothing in a value moves the cursor, and none of its lines looks like a line of the log. */
const toPrintable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (sign) =>
    sign === '\n' ? '\n    ' : JSON.stringify(sign).slice(1, -1),
  );

export const silentLog: Log = createLog({ level: 'error', format: 'json', write: () => {} });
