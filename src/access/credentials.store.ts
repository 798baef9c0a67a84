import { type SQL, sql } from 'drizzle-orm';
import { sha256, toHex } from '../core/hash.ts';
import { requireValue } from '../core/required.ts';
import {
  LOG_STATE_COLUMNS,
  type LogState,
  parseLogState,
  selectLogState,
} from '../db/change-log.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { prepareQuery } from '../db/query.ts';
import type { PartialSharer } from './session.ts';
import type { ContentRule } from './suppression.ts';

// Accounts by the secrets of requests.

/** The schema of ACCOUNT_COLUMNS: the part of a session that its account decides. */
export const ACCOUNT_VIEW = {
  userId: column.uuid,
  isAdmin: column.boolean,
  sharers: column.uuidArray,
  timelineSharers: column.uuidArray,
  placelessSharers: column.uuidArray,
  partialSharers: column.json<PartialSharer[]>(),
  contentRules: column.json<ContentRule[]>().orNull,
};

const KEY_COLUMNS = {
  digest: column.text,
  id: column.uuid,
  device: column.text,
  ...ACCOUNT_VIEW,
  permissions: column.textArray,
};
const TOKEN_COLUMNS = {
  digest: column.text,
  id: column.uuid,
  device: column.text,
  ...ACCOUNT_VIEW,
  seenAt: column.timestamptz,
  expiresAt: column.timestamptz.orNull,
  elevatedUntil: column.timestamptz.orNull,
  provenAt: column.timestamptz.orNull,
};
/** The change log of the account, where it was asked for. */
type Log = { readonly log: LogState | undefined };
type KeyRow = InferRow<typeof KEY_COLUMNS> & Log;
type Instant = 'seenAt' | 'expiresAt' | 'elevatedUntil' | 'provenAt';
export type TokenRow = Omit<InferRow<typeof TOKEN_COLUMNS>, Instant> &
  Log & {
    readonly seenAt: Date;
    readonly expiresAt: Date | null;
    readonly elevatedUntil: Date | null;
    readonly provenAt: Date | null;
  };

/** Columns of app_user and ACCOUNT_SHARING. */
export const ACCOUNT_COLUMNS = sql.raw(`
  app_user.id as "userId", app_user.is_admin as "isAdmin",
  coalesce(sharing.all_of_them, '{}') as sharers,
  coalesce(sharing.in_timeline, '{}') as "timelineSharers",
  coalesce(sharing.placeless, '{}') as "placelessSharers",
  coalesce(sharing.partly, '[]') as "partialSharers",
  case when app_user.preferences #>> '{lockedContent,filterEnabled}' = 'true'
    then app_user.preferences #> '{lockedContent,rules}' end as "contentRules"`);

/** An aggregate of rows of "partner": PartialSharer[]; null without any. */
export const AGGREGATED_PARTIAL_SHARERS = `json_agg(json_build_object('id', sharer_id, 'from', shared_from)
  order by sharer_id) filter (where shared_from is not null)`;

/** A removed account shares no Timeline until it is restored. */
export const ACCOUNT_SHARING = sql.raw(`cross join lateral (
    select array_agg(sharer_id) filter (where sharer.deleted_at is null) as all_of_them,
      array_agg(sharer_id) filter (where sharer.deleted_at is null and in_timeline) as in_timeline,
      array_agg(sharer_id) filter (where hides_places) as placeless,
      ${AGGREGATED_PARTIAL_SHARERS} as partly
    from partner join app_user sharer on sharer.id = sharer_id
    where viewer_id = app_user.id) sharing`);

const ACCOUNT_LOG = sql`, ${selectLogState(sql`array_append(sharing.all_of_them, app_user.id)`)}`;
type LogStateRow = InferRow<typeof LOG_STATE_COLUMNS>;

/** Returns the secrets by their hexadecimal digest: queries never contain a secret. */
const mapByDigest = (secrets: readonly string[]) =>
  new Map(secrets.map((secret) => [toHex(sha256(secret)), secret]));
const IS_REQUESTED = sql`any(array(
  select decode(unnest(${sql.placeholder('digests')}::text[]), 'hex')))`;
const toParameters = (byDigest: ReadonlyMap<string, string>) => ({
  digests: `{${[...byDigest.keys()].join(',')}}`,
});

const selectTokens = (more: SQL): SQL => sql`
  select encode(session.token_hash, 'hex') as digest, session.id, ${ACCOUNT_COLUMNS}${more},
    concat_ws(' ', nullif(session.device_type, ''), nullif(session.device_os, '')) as device,
    session.updated_at as "seenAt", session.expires_at as "expiresAt",
    session.elevated_until as "elevatedUntil", session.proven_at as "provenAt"
  from session join app_user on app_user.id = session.user_id ${ACCOUNT_SHARING}
  where session.token_hash = ${IS_REQUESTED} and app_user.deleted_at is null`;
const queryTokens = prepareQuery(TOKEN_COLUMNS, selectTokens(sql``));
const queryLoggedTokens = prepareQuery(
  { ...TOKEN_COLUMNS, ...LOG_STATE_COLUMNS },
  selectTokens(ACCOUNT_LOG),
);

/** Returns the sessions of tokens, by token. `withLog`: with the change log of their accounts. */
export async function findTokens(
  db: Db,
  tokens: readonly string[],
  withLog: boolean,
): Promise<Map<string, TokenRow>> {
  const byDigest = mapByDigest(tokens);
  const rows = await (withLog ? queryLoggedTokens : queryTokens)(db, toParameters(byDigest));
  return new Map(
    rows.map((row) => [
      requireValue(byDigest.get(row.digest), 'token of a session'),
      {
        ...row,
        log: findLog(row),
        seenAt: new Date(row.seenAt),
        expiresAt: parseDate(row.expiresAt),
        elevatedUntil: parseDate(row.elevatedUntil),
        provenAt: parseDate(row.provenAt),
      },
    ]),
  );
}

const selectKeys = (more: SQL): SQL => sql`
  select encode(api_key.key_hash, 'hex') as digest, api_key.id, ${ACCOUNT_COLUMNS}${more},
    api_key.permissions, api_key.name as device
  from api_key join app_user on app_user.id = api_key.user_id ${ACCOUNT_SHARING}
  where api_key.key_hash = ${IS_REQUESTED} and app_user.deleted_at is null`;
const queryKeys = prepareQuery(KEY_COLUMNS, selectKeys(sql``));
const queryLoggedKeys = prepareQuery(
  { ...KEY_COLUMNS, ...LOG_STATE_COLUMNS },
  selectKeys(ACCOUNT_LOG),
);

/** Returns the API keys of secrets, by secret. */
export async function findApiKeys(
  db: Db,
  keys: readonly string[],
  withLog: boolean,
): Promise<Map<string, KeyRow>> {
  const byDigest = mapByDigest(keys);
  const rows = await (withLog ? queryLoggedKeys : queryKeys)(db, toParameters(byDigest));
  return new Map(
    rows.map((row) => [
      requireValue(byDigest.get(row.digest), 'secret of an API key'),
      { ...row, log: findLog(row) },
    ]),
  );
}

const findLog = (row: object | LogStateRow): LogState | undefined =>
  'changedAt' in row ? parseLogState(row) : undefined;

/** Raw statements return timestamps as text. */
const parseDate = (value: Date | string | null): Date | null => (value ? new Date(value) : null);
