/** Characters of one value in the log: a name, a sentence, not a file. */
export const MAX_VALUE_CHARACTERS = 1024;
/** Errors of a chain of causes. */
const MAX_CAUSES = 3;

export const cutText = (text: string): string =>
  text.length <= MAX_VALUE_CHARACTERS
    ? text
    : `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}… (${text.length} characters)`;

/**
 * Returns name, message, code and stack of an error and of its causes, each cut. Its other members are left
 * out: they are responses, buffers and the parameters of queries. A frame is not confused with a line of
 * the message, which may be about a person.
 */
export function describeError(error: Error): string {
  const shown: string[] = [];
  let each: unknown = error;
  while (each instanceof Error && shown.length <= MAX_CAUSES) {
    shown.push(describeOne(each));
    each = each.cause ?? (each instanceof AggregateError ? each.errors[0] : undefined);
  }
  if (typeof each === 'string') shown.push(cutText(each));
  return shown.join('\ncaused by ');
}

function describeOne(error: Error): string {
  const { code } = error as { code?: unknown };
  const message = getErrorMessage(error);
  const isToldOnce = typeof code !== 'string' || code === '' || message.includes(code);
  const head = cutText(`${error.name}: ${message}`) + (isToldOnce ? '' : ` (${code})`);
  return [head, cutText(getFrames(error))].filter(Boolean).join('\n');
}

const FRAME = /^\s+at .*(?::\d+:\d+|\(native[^)]*|<anonymous>)\)?$/;

function getFrames({ message, stack = '' }: Error): string {
  const frames = stack.includes(message)
    ? stack.slice(stack.indexOf(message) + message.length)
    : stack;
  return frames
    .split('\n')
    .filter((line) => FRAME.test(line))
    .join('\n');
}

/**
 * Returns the message of an error without what people have sent: the parameters of a query, which drizzle
 * puts into the message, and the value that PostgreSQL refuses.
 */
export function getErrorMessage(error: Error): string {
  if (!('query' in error && 'params' in error)) return withoutValue(error);
  const reason = error.cause instanceof Error ? withoutValue(error.cause) : 'unknown reason';
  return `Failed query (${reason}): ${String(error.query)}`;
}

/** SQLSTATE class 22, data exception: the message quotes the value. */
function withoutValue(error: Error): string {
  const { message, code, severity } = error as Error & { code?: unknown; severity?: unknown };
  const isQuoted = severity !== undefined && typeof code === 'string' && code.startsWith('22');
  return isQuoted ? message.replace(/".*"/s, '"…"') : message;
}
