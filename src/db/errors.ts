/** Reasons of a failed statement that callers tell apart. */
export type DatabaseErrorKind =
  | 'uniqueViolation'
  | 'foreignKeyViolation'
  | 'serializationFailure'
  | 'deadlock'
  | 'lockNotAvailable'
  | 'statementTimeout'
  | 'nulCharacter'
  | 'connectionFailure';

/** By SQLSTATE, PostgreSQL documentation, appendix A. */
const KINDS: Readonly<Record<string, DatabaseErrorKind>> = {
  '23505': 'uniqueViolation',
  '23503': 'foreignKeyViolation',
  '40001': 'serializationFailure',
  '40P01': 'deadlock',
  '55P03': 'lockNotAvailable',
  '57014': 'statementTimeout',
  // Its texts, also those within JSON, cannot hold a NUL.
  '22021': 'nulCharacter',
  '22P05': 'nulCharacter',
};

/**
 * Connection exceptions, too many connections, operator intervention except a cancelled query, and writes to a server
 * that is a standby or read-only: the primary is elsewhere, or will be back. A closed database refuses connections by
 * 55000, and a standby the functions of the log; statements fail with it as well.
 */
const CONNECTION_STATES = /^(08...|25006|53300|57P0[1-5])$/;
const DRIVER_CODES = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|(CONNECT|QUERY)_TIMEOUT)$/;
/** The source file of PostgreSQL whose functions a standby refuses: messages are translated. */
const LOG_FUNCTIONS = 'xlogfuncs.c';
const SOCKET_CODES = /^(E[A-Z]+|ERR_(SOCKET|STREAM)_[A-Z_]+)$/;

/**
 * Whether a statement failed for this reason; drizzle wraps the driver's error as its cause.
 * `constraint`: only when it is this one that was violated.
 *
 * A connection failure is a refused or lost connection, or a server that starts, stops, is full or takes no
 * writes: nothing is wrong with the statement, and it may be sent again. Whether it took effect is not known
 * if it was a commit.
 */
export function isDatabaseError(
  error: unknown,
  kind: DatabaseErrorKind,
  constraint?: string,
): boolean {
  if (!(error instanceof Error)) return false;
  if (classify(error) !== kind) return isDatabaseError(error.cause, kind, constraint);
  return constraint === undefined || constraint === (error as DriverError).constraint_name;
}

/**
 * Classes of SQLSTATE in which the server is at fault: its connections, resources, an operator, its files, itself.
 * A statement that was cancelled took too long, which may be its own fault.
 */
const SERVER_FAULTS = /^(08|53|57(?!014)|58|XX)/;

/**
 * Returns whether nothing is wrong with the statement that failed: it may be sent again later. A connection failure is one
 * such fault. Jobs wait, requests are answered 503, and a server with such a database is not ready.
 */
export const isServerFault = (error: unknown): boolean =>
  isDatabaseError(error, 'connectionFailure') || SERVER_FAULTS.test(getSqlState(error) ?? '');

/** Returns the SQLSTATE of a failed statement. */
export function getSqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as DriverError;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : getSqlState(error.cause);
}

type DriverError = Error & {
  readonly code?: unknown;
  readonly constraint_name?: string;
  readonly severity?: string;
  readonly file?: string;
};

function classify(error: DriverError): DatabaseErrorKind | undefined {
  const { code } = error;
  if (typeof code !== 'string') return undefined;
  if (CONNECTION_STATES.test(code) || DRIVER_CODES.test(code)) return 'connectionFailure';
  if (code === '55000' && (error.severity === 'FATAL' || error.file === LOG_FUNCTIONS))
    return 'connectionFailure';
  // A socket's: errors of files and child processes have the same codes, but no statement.
  if ('query' in error && SOCKET_CODES.test(code)) return 'connectionFailure';
  return KINDS[code];
}
