import { sql } from 'drizzle-orm';
import { tooManyRequests } from '../core/errors.ts';
import { sha256, toHex } from '../core/hash.ts';
import { networkOf } from '../core/network.ts';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { inHashQueue } from './hash-queue.ts';
import { findKnownClient, recordKnownFailure, rememberClients } from './known-clients.ts';
import { verifySecret } from './secrets.ts';

// Throttles attempts to guess a secret. Others who guess must not keep out the one who knows it.
//
// 1. Failures are counted by lane: by account and network, by network, and by account over all
//    networks. In a lane that has used up its free failures, every further one doubles the wait for
//    the next attempt, up to a minute. An attacker so blocks the own network, not the owner's.
// 2. A client that gave the right secret before (a device, a network, a session) is outside the
//    lanes: it is never refused, whatever others do, until it is wrong itself a thousand times a day.
// 3. Only the lane of the account over all networks is shared between strangers. It fills when three
//    or more networks guess at once, and then delays a first login from a new network; a device or
//    network that signed in before, and all sessions, notice nothing.
// 4. Only wrong attempts count, and attempts of one source are checked one after the other: right
//    ones that arrive at the same moment cannot block each other.

/** Failures that are counted together. */
export type Lane = {
  readonly key: string;
  /** Failures without a wait. */
  readonly free: number;
  /** The right secret starts the count anew: the lane is of one client. */
  readonly endsWithSuccess?: true;
  /** One failure is forgotten in so many seconds; otherwise all are, after a day of quiet. */
  readonly forgetSeconds?: number;
};

export type Attempt = {
  /** The account, if there is such a one. */
  readonly userId: string | undefined;
  /** Identifiers of the client, the most specific first. */
  readonly clients: readonly string[];
  readonly lanes: readonly Lane[];
  /** Whose turn it takes while others wait to be checked too, unless it is known. */
  readonly source: string;
  /** Logged in already. */
  readonly isSignedIn: boolean;
};

const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 60;
const MEMORY_HOURS = 24;
/** Strangers choose the keys, so the table has a bound. */
const MAX_LANES = 100_000;

/**
 * Returns whether `secret` is the one that `hash` was made of, and counts it when it is not. Throws
 * 429 without looking at the secret while the attempt has to wait.
 */
export async function verifyThrottled(
  { db, now }: { readonly db: Db; readonly now: () => Date },
  attempt: Attempt,
  secret: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const { userId, clients, lanes, source, isSignedIn } = attempt;
  const admit = async (): Promise<string | undefined> => {
    const client = await findKnownClient(db, userId, clients, now());
    if (client === undefined) await refuseBlocked(db, lanes, now());
    return client;
  };
  const known = await admit();
  const orderer = { source: known ?? source, isKnown: known !== undefined || isSignedIn };
  return inHashQueue(orderer, async () => {
    // Asked again: others of the same source have failed meanwhile.
    const client = await admit();
    const isRight = await verifySecret(secret, hash);
    if (isRight && userId !== undefined) await rememberClients(db, userId, clients, now());
    if (isRight) await endLanes(db, lanes);
    else if (client === undefined) await recordFailures(db, lanes, now());
    else await recordKnownFailure(db, userId!, client, now());
    return isRight;
  });
}

/** Counts what failed, where nothing is hashed. Throws 429 while the lane is blocked. */
export async function countFailure(db: Db, lane: Lane, now: Date): Promise<void> {
  await refuseBlocked(db, [lane], now);
  await recordFailures(db, [lane], now);
}

const toKeys = (lanes: readonly Lane[]) => texts(lanes.map(({ key }) => key));

async function refuseBlocked(db: Db, lanes: readonly Lane[], now: Date): Promise<void> {
  const [row] = await db.execute<{ until: string | null }>(sql`
    select max(blocked_until) as until from attempt_lane
    where key = any(${toKeys(lanes)}) and blocked_until > ${now.toISOString()}::timestamptz`);
  if (!row?.until) return;
  const seconds = (new Date(row.until).getTime() - now.getTime()) / 1000;
  throw tooManyRequests('Too many attempts, try again later', seconds);
}

async function recordFailures(db: Db, lanes: readonly Lane[], at: Date): Promise<void> {
  let isNew = false;
  for (const lane of lanes) isNew = (await recordFailure(db, lane, at)) || isNew;
  if (isNew) await forgetOld(db, at);
}

/** Returns whether the lane is new. */
async function recordFailure(db: Db, lane: Lane, at: Date): Promise<boolean> {
  const { key, free, forgetSeconds } = lane;
  const now = sql`${at.toISOString()}::timestamptz`;
  const quiet = sql`extract(epoch from ${now} - lane.updated_at)`;
  const forgotten = forgetSeconds
    ? sql`floor(${quiet} / ${forgetSeconds})::int`
    : sql`case when ${quiet} > ${MEMORY_HOURS * 3600} then lane.failures else 0 end`;
  const failures = sql`(greatest(0, lane.failures - ${forgotten}) + 1)`;
  // The exponent is bounded too: 2 to the power of a million is no number.
  const wait = sql`least(${LONGEST_WAIT_SECONDS},
    ${FIRST_WAIT_SECONDS} * power(2, least(${failures} - ${free} - 1, 20)))`;
  const [row] = await db.execute<{ failures: number }>(sql`
    insert into attempt_lane as lane (key, failures, updated_at) values (${key}, 1, ${now})
    on conflict (key) do update set
      failures = ${failures},
      blocked_until = case when ${failures} > ${free} then ${now} + make_interval(secs => ${wait}) end,
      updated_at = ${now}
    returning failures`);
  return row?.failures === 1;
}

async function endLanes(db: Db, lanes: readonly Lane[]): Promise<void> {
  const own = lanes.filter((lane) => lane.endsWithSuccess);
  if (own.length > 0)
    await db.execute(sql`delete from attempt_lane where key = any(${toKeys(own)})`);
}

async function forgetOld(db: Db, at: Date): Promise<void> {
  await db.execute(sql`
    delete from attempt_lane where updated_at < greatest(
      ${at.toISOString()}::timestamptz - make_interval(hours => ${MEMORY_HOURS}),
      (select updated_at from attempt_lane order by updated_at desc offset ${MAX_LANES} limit 1))`);
}

/** How long the shared lane of an account or a link remembers a failure: longer than one network waits. */
const SHARED = { free: 100, forgetSeconds: 30 };

/** Many people may stand behind one address, and none tries the passwords of fifty accounts. */
const networkLane = (network: string): Lane => ({ key: `network:${network}`, free: 50 });

/** Of one who is not signed in: by `subject` and network, by network, and by subject alone. */
const lanesForStranger = (subject: string, network: string | undefined): Lane[] => [
  { key: `${subject}:${network ?? ''}`, free: 10, endsWithSuccess: true },
  ...(network ? [networkLane(network), { key: subject, ...SHARED }] : []),
];

export type LoginClient = {
  /** Where the request comes from, if that is known. */
  readonly address: string | undefined;
  /** The random identifier that a browser keeps in its local storage, if it sends it. */
  readonly deviceToken: string | undefined;
};

export function loginAttempt(
  email: string,
  userId: string | undefined,
  { address, deviceToken }: LoginClient,
): Attempt {
  const network = address === undefined ? undefined : networkOf(address);
  const account = `login:${toHex(sha256(email))}`;
  return {
    userId,
    clients: [
      ...(deviceToken ? [`device:${toHex(sha256(deviceToken))}`] : []),
      ...(network ? [`network:${network}`] : []),
    ],
    lanes: lanesForStranger(account, network),
    source: network ?? 'unknown',
    isSignedIn: false,
  };
}

/** Secrets of an account that is logged in. `callerId`: the session or the key. */
export function ownSecretAttempt(
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
      { key: `${account}:${callerId}`, free, endsWithSuccess: true },
      // A stolen session can create more sessions.
      { key: account, free: 4 * free },
    ],
    source: callerId,
    isSignedIn: true,
  };
}

export function linkAttempt(linkId: string, address: string | undefined): Attempt {
  const network = address === undefined ? undefined : networkOf(address);
  return {
    userId: undefined,
    clients: [],
    lanes: lanesForStranger(`link:${linkId}`, network),
    source: network ?? 'unknown',
    isSignedIn: false,
  };
}

/**
 * Tokens and keys are too long to be guessed, so this only slows noise down. A device that holds a
 * revoked token asks for hundreds of thumbnails, and must still hear 401 to log itself out.
 */
export const tokenLane = (address: string): Lane => ({
  key: `token:${networkOf(address)}`,
  free: 2000,
});
