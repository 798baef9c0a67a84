import { type SQL, sql } from 'drizzle-orm';
import type { Session } from '../access/session.ts';
import {
  isUnchangedSince,
  LOG_STATE_COLUMNS,
  type LogState,
  parseLogState,
  selectLogState,
} from '../db/change-log.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { getRow, prepareQuery } from '../db/query.ts';
import { defineKind, type MemoryOwner } from './memory.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The log told everything before the transaction `position` when the response was built. */
type Entry = { readonly bytes: Bytes; readonly position: bigint; readonly state: string | null };

/** In the `state` of responses: the `owners`, as `uuid[]`. */
export const OWNERS: SQL = sql`${sql.placeholder('owners')}::uuid[]`;

type Reader = MemoryOwner & { readonly db: Db; readonly session: Session };

export type ResponseRequest = {
  /** Everything the response depends on that is in no row. */
  readonly key: readonly unknown[];
  /** Accounts whose rows it depends on, and albums whose members it does. */
  readonly owners: readonly string[];
};

/**
 * Defines a kind of responses. The function that it returns returns the response of `build`, its bytes again as long
 * as the change log of the owners tells of no change, and `state` (a scalar subquery, for what the log does not tell)
 * is the same. Both are of the moment of the request or later, so that a response is never older than the last commit
 * before it. Without a state, what the log says of the caller and of partners is known with the session, and nothing
 * is queried.
 */
export function defineResponses(name: string, state?: SQL) {
  const kind = defineKind<Entry>(name, ({ bytes }) => bytes.length);
  const readStates = prepareStateQuery(state ?? sql`null`);

  async function readState({ db, session }: Reader, owners: readonly string[]) {
    const known = state === undefined ? findKnownLog(session, owners) : undefined;
    if (known) return { ...known, state: null };
    const row = getRow(await readStates(db, { owners: `{${owners.join(',')}}` }));
    return { ...parseLogState(row), state: row.state };
  }

  return async <Other = never>(
    reader: Reader,
    { key, owners }: ResponseRequest,
    build: () => Promise<Bytes | Other>,
  ): Promise<Bytes | Other> => {
    const id = JSON.stringify([key, owners]);
    const before = kind.find(reader, id);
    // Read before the rows: a change in between makes the response newer than its position, never older.
    const log = await readState(reader, owners);
    if (before && isUnchangedSince(log, before.position) && log.state === before.state)
      return before.bytes;
    const bytes = await build();
    if (bytes instanceof Uint8Array) {
      kind.keep(reader, id, { bytes, position: log.position, state: log.state });
    }
    return bytes;
  };
}

/** The log of the caller and of those who share with the caller, if these are all the owners. */
const findKnownLog = (session: Session, owners: readonly string[]): LogState | undefined =>
  session.kind === 'user' &&
  owners.every((id) => id === session.userId || session.sharers.includes(id))
    ? session.log
    : undefined;

const prepareStateQuery = (state: SQL) =>
  prepareQuery(
    { ...LOG_STATE_COLUMNS, state: column.text.orNull },
    sql`select ${selectLogState(OWNERS)}, ${state}::text as state`,
  );
