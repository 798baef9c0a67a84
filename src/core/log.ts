import { getCorrelationId } from './correlation.ts';
import { cutText, describeError, MAX_VALUE_CHARACTERS } from './error-text.ts';
import { writeLines } from './journal.ts';
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

type Scalar = string | number | boolean | bigint | null | undefined;
/** A value of a field. Everything else could bring a picture or a password into the log. */
type LogValue = Scalar | readonly Scalar[];
/** As the logger takes them, whose parameters are checked by `Loggable`. */
type LogFields = Readonly<Record<string, unknown>>;

/** The type of fields that may be logged: scalars, short lists of them, and an `error`. */
type Loggable<Fields> = {
  readonly [Name in keyof Fields]: Name extends 'error'
    ? unknown
    : Fields[Name] extends LogValue
      ? Fields[Name]
      : 'a field of the log is a scalar';
};

const MAX_ITEMS = 20;
/** Characters of a whole line: journald cuts at 48 KiB. */
const MAX_LINE_CHARACTERS = 16 * 1024;

/** Returns the fields as scalars, each cut. Fields that have no place in the line are left out, with a note. */
function toPlainFields(fields: LogFields): Record<string, string | number | boolean | null> {
  const plain: Record<string, string | number | boolean | null> = {};
  let left = MAX_LINE_CHARACTERS;
  let dropped = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const shown = toPlainValue(value);
    const length = cutText(name).length + JSON.stringify(shown).length;
    if (length <= left) {
      plain[cutText(name)] = shown;
      left -= length;
    } else dropped += 1;
  }
  return dropped > 0 ? { ...plain, droppedFields: dropped } : plain;
}

function toPlainValue(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Error) return describeError(value);
  if (isScalar(value)) return cutText(String(value));
  if (Array.isArray(value) && value.every(isScalar)) return joinItems(value);
  return `[not logged: ${Object.prototype.toString.call(value).slice(8, -1)}]`;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean', 'bigint', 'undefined'].includes(typeof value);

function joinItems(items: readonly Scalar[]): string {
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => String(item).slice(0, MAX_VALUE_CHARACTERS));
  const more = items.length - shown.length;
  return cutText(shown.join(', ')) + (more > 0 ? `, … (${items.length} items)` : '');
}
