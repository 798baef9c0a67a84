import { sql } from 'drizzle-orm';
import { tooManyRequests } from '../core/errors.ts';
import { sha256, toHex } from '../core/hash.ts';
import { toNetwork } from '../core/network.ts';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { runInHashQueue } from './hash-queue.ts';
import { findKnownClient, recordKnownFailure, rememberClients } from './known-clients.ts';
import { verifySecret } from './secrets.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

// Throttles guesses of a secret without locking out its owner.
//
// 1. Failures are counted by lane: by account and network, by network, and by account over all
//    networks. In a lane that has used up its free failures, every further one doubles the wait for
//    the next attempt, up to a minute. So an attacker blocks the attacking network, not the owner's.
// 2. A client that gave the right secret before (a device, a network, a session) is outside the
//    lanes: it is never refused for failures of others, only after 1,000 failures of its own in a day. A
//    session waits for its own failures in any case: who holds an open one may not be its owner.
// 3. Only the lane of the account over all networks is shared between strangers. It fills when three
//    or more networks guess at once, and then delays first logins from new networks. Known devices,
//    known networks and sessions are not affected.
// 4. Only wrong attempts count, and attempts of one source are checked in sequence: correct attempts
//    that arrive together cannot block each other.

/** Failures that are counted together. */
export type Lane = {
  readonly key: string;
  /** Number of failures before the first wait. */
  readonly freeFailures: number;
  /** A correct secret resets the count: the lane belongs to one client. */
  readonly resetsOnSuccess?: true;
  /** Seconds after which one failure expires; without it, all expire after a day without any. */
  readonly decaySeconds?: number;
};

export type Attempt = {
  /** Undefined when no such account exists. */
  readonly userId: string | undefined;
  /** Identifiers of the client, the most specific first. */
  readonly clients: readonly string[];
  readonly lanes: readonly Lane[];
  /** Key of its turn in the hash queue, for unknown clients. */
  readonly queueSource: string;
  readonly isSignedIn: boolean;
};

const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 60;
const MEMORY_HOURS = 24;
/** Anonymous callers choose the keys, so the table is bounded. */
const MAX_LANES = 100_000;

/**
 * Returns whether `secret` matches `hash`, and records a failure when it does not. Throws 429 without
 * verifying the secret while one of the lanes is blocked.
 */
export async function verifyThrottled(
  { db, now }: { readonly db: Db; readonly now: () => Date },
  attempt: Attempt,
  secret: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const { userId, clients, lanes, queueSource: source, isSignedIn } = attempt;
  // A device or network may be shared; a session or key is one caller.
  const own = isSignedIn ? lanes.filter((lane) => lane.resetsOnSuccess) : [];
  const requireAdmission = async (): Promise<string | undefined> => {
    const client = await findKnownClient(db, userId, clients, now());
    await requireUnblocked(db, client === undefined ? lanes : own, now());
    return client;
  };
  const known = await requireAdmission();
  const orderer = { source: known ?? source, isKnown: known !== undefined || isSignedIn };
  return runInHashQueue(orderer, async () => {
    // Again: other attempts of the same source may have failed meanwhile.
    const client = await requireAdmission();
    const isRight = await verifySecret(secret, hash);
    if (isRight && userId !== undefined) await rememberClients(db, userId, clients, now());
    if (isRight) await resetLanes(db, lanes);
    else await recordFailures(db, client === undefined ? lanes : own, now());
    if (!isRight && userId !== undefined && client !== undefined) {
      await recordKnownFailure(db, userId, client, now());
    }
    return isRight;
  });
}

/** Records a failure of a secret that is not hashed. Throws 429 while the lane is blocked. */
export async function countFailure(db: Db, lane: Lane, now: Date): Promise<void> {
  await requireUnblocked(db, [lane], now);
  await recordFailures(db, [lane], now);
}

/**
 * Runs an attempt that counts as failed until it has succeeded, so that attempts at once count, too. Throws 429 while the
 * lane is blocked.
 */
export async function runCounted<T>(
  { db, now }: { readonly db: Db; readonly now: () => Date },
  lane: Lane,
  attempt: () => Promise<T>,
): Promise<T> {
  await requireUnblocked(db, [lane], now());
  const failures = await recordFailure(db, lane, now());
  if (failures === 1) await deleteOldLanes(db, now());
  const takeBack = () =>
    queryRows(
      db,
      sql`update attempt_lane set failures = greatest(0, failures - 1) where key = ${lane.key}`,
    );
  if (failures > lane.freeFailures) {
    await takeBack();
    throw tooMany(FIRST_WAIT_SECONDS);
  }
  const result = await attempt();
  await takeBack();
  return result;
}

const toKeys = (lanes: readonly Lane[]) => texts(lanes.map(({ key }) => key));

async function requireUnblocked(db: Db, lanes: readonly Lane[], now: Date): Promise<void> {
  if (lanes.length === 0) return;
  const [row] = await queryRows(
    db,
    { until: column.timestamptz.orNull },
    sql`
    select max(blocked_until) as until from attempt_lane
    where key = any(${toKeys(lanes)}) and blocked_until > ${now.toISOString()}::timestamptz`,
  );
  if (!row?.until) return;
  const seconds = (new Date(row.until).getTime() - now.getTime()) / 1000;
  throw tooMany(seconds);
}

const tooMany = (seconds: number) => tooManyRequests('Too many attempts, try again later', seconds);

async function recordFailures(db: Db, lanes: readonly Lane[], at: Date): Promise<void> {
  let isNew = false;
  for (const lane of lanes) isNew = (await recordFailure(db, lane, at)) === 1 || isNew;
  if (isNew) await deleteOldLanes(db, at);
}

/** Returns the number of failures in the lane. */
async function recordFailure(db: Db, lane: Lane, at: Date): Promise<number> {
  const { key, freeFailures: free, decaySeconds: forgetSeconds } = lane;
  const now = sql`${at.toISOString()}::timestamptz`;
  const quiet = sql`extract(epoch from ${now} - lane.updated_at)`;
  const forgotten = forgetSeconds
    ? sql`floor(${quiet} / ${forgetSeconds})::int`
    : sql`case when ${quiet} > ${MEMORY_HOURS * 3600} then lane.failures else 0 end`;
  const failures = sql`(greatest(0, lane.failures - ${forgotten}) + 1)`;
  // Bounds the exponent: power() overflows beyond 2^1023.
  const wait = sql`least(${LONGEST_WAIT_SECONDS},
    ${FIRST_WAIT_SECONDS} * power(2, least(${failures} - ${free} - 1, 20)))`;
  const [row] = await queryRows(
    db,
    { failures: column.integer },
    sql`
    insert into attempt_lane as lane (key, failures, updated_at) values (${key}, 1, ${now})
    on conflict (key) do update set
      failures = ${failures},
      blocked_until = case when ${failures} > ${free} then ${now} + make_interval(secs => ${wait}) end,
      updated_at = ${now}
    returning failures`,
  );
  return row?.failures ?? 0;
}

async function resetLanes(db: Db, lanes: readonly Lane[]): Promise<void> {
  const own = lanes.filter((lane) => lane.resetsOnSuccess);
  if (own.length > 0)
    await queryRows(db, sql`delete from attempt_lane where key = any(${toKeys(own)})`);
}

async function deleteOldLanes(db: Db, at: Date): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from attempt_lane where updated_at < greatest(
      ${at.toISOString()}::timestamptz - make_interval(hours => ${MEMORY_HOURS}),
      (select updated_at from attempt_lane order by updated_at desc offset ${MAX_LANES} limit 1))`,
  );
}

/** Lane of an account or a link over all networks. Failures decay slower than one network can add them. */
const SHARED_LANE = { freeFailures: 100, decaySeconds: 30 };

/** Many people may share one address, but nobody tries the passwords of fifty accounts. */
const createNetworkLane = (network: string): Lane => ({
  key: `network:${network}`,
  freeFailures: 50,
});

/** Returns lanes by `subject` and network, by network, and by subject alone. */
const createAnonymousLanes = (subject: string, network: string | undefined): Lane[] => [
  { key: `${subject}:${network ?? ''}`, freeFailures: 10, resetsOnSuccess: true },
  ...(network ? [createNetworkLane(network), { key: subject, ...SHARED_LANE }] : []),
];

export type LoginClient = {
  /** IP address of the client; undefined when unknown. */
  readonly address: string | undefined;
  /** Random identifier from the browser's local storage. */
  readonly deviceToken: string | undefined;
};

export function createLoginAttempt(
  email: string,
  userId: string | undefined,
  { address, deviceToken }: LoginClient,
): Attempt {
  const network = address === undefined ? undefined : toNetwork(address);
  const account = `login:${toHex(sha256(email))}`;
  return {
    userId,
    clients: [
      ...(deviceToken ? [`device:${toHex(sha256(deviceToken))}`] : []),
      ...(network ? [`network:${network}`] : []),
    ],
    lanes: createAnonymousLanes(account, network),
    queueSource: network ?? 'unknown',
    isSignedIn: false,
  };
}

/** For the PIN or password of a signed-in account. `callerId`: id of the session or API key. */
export function createSecretAttempt(
  secret: 'pin' | 'password',
  userId: string,
  callerId: string,
): Attempt {
  const account = `${secret}:${userId}`;
  const free = secret === 'pin' ? 5 : 10;
  return {
    userId,
    clients: [`${secret}:${callerId}`],
    lanes: [
      { key: `${account}:${callerId}`, freeFailures: free, resetsOnSuccess: true },
      // A stolen session can create more sessions.
      { key: account, freeFailures: 4 * free },
    ],
    queueSource: callerId,
    isSignedIn: true,
  };
}

export function createLinkAttempt(linkId: string, address: string | undefined): Attempt {
  const network = address === undefined ? undefined : toNetwork(address);
  return {
    userId: undefined,
    clients: [],
    lanes: createAnonymousLanes(`link:${linkId}`, network),
    queueSource: network ?? 'unknown',
    isSignedIn: false,
  };
}

/**
 * Limits the load of wrong tokens and keys, which are too long to be guessed. The limit is high because
 * a device with a revoked token requests hundreds of thumbnails and must get 401 to log itself out.
 */
export const createTokenLane = (address: string): Lane => ({
  key: `token:${toNetwork(address)}`,
  freeFailures: 2000,
});

/** Limits the codes that a network has this server redeem at the login provider, right or wrong. */
export const createCallbackLane = (address: string): Lane => ({
  key: `oauth:${toNetwork(address)}`,
  freeFailures: 30,
  decaySeconds: 10,
});

/** Limits the addresses that an account names and that are no server which it may read. */
export const createAddressLane = (userId: string): Lane => ({
  key: `address:${userId}`,
  freeFailures: 20,
  decaySeconds: 30,
});

/** Limits the wrong tokens of invitations from a network. They are too long to be guessed. */
export const createInvitationLane = (address: string): Lane => ({
  key: `invitation:${toNetwork(address)}`,
  freeFailures: 30,
  decaySeconds: 10,
});
