import { beforeAll, describe, expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { createCheapHash } from '../../test/support/accounts.ts';
import { NOW, seed } from '../../test/support/harness.ts';
import { AppError } from '../core/errors.ts';
import {
  type Attempt,
  countFailure,
  createLinkAttempt,
  createLoginAttempt,
  createSecretAttempt,
  createTokenLane,
  verifyThrottled,
} from './attempt-throttle.ts';

const database = await useDatabase();
let hash: string;
beforeAll(async () => {
  hash = await createCheapHash('right');
});

const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

/** 'right', 'wrong', or the seconds to wait. */
async function attempt(one: Attempt, secret: string, seconds = 0) {
  try {
    const deps = { db: database.db, now: () => after(seconds) };
    return (await verifyThrottled(deps, one, secret, hash)) ? 'right' : 'wrong';
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 429) throw error;
    return Number(error.headers['retry-after']);
  }
}
const repeat = <T>(times: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => work(n)));

let made = 0;
/** Addresses that no other test uses. */
const address = () => `198.51.${made >> 8}.${made++ & 255}`;
async function person() {
  const { id, email } = await seed(database).user();
  const from = (where: string, deviceToken?: string) =>
    createLoginAttempt(email, id, { address: where, deviceToken });
  return { id, email, from };
}

describe('the wait after failures', () => {
  test('the first failures are free, then each wait is twice the one before, up to a minute', async () => {
    const one = (await person()).from(address());
    for (let n = 0; n < 10; n++) expect(await attempt(one, 'wrong')).toBe('wrong');
    let at = 0;
    const waits: unknown[] = [];
    for (let n = 0; n < 9; n++) {
      expect(await attempt(one, 'wrong', at)).toBe('wrong');
      const wait = (await attempt(one, 'wrong', at)) as number;
      waits.push(wait);
      // A moment before the end it is still refused, and asking does not make it longer.
      expect(await attempt(one, 'right', at + wait - 0.1)).toBe(1);
      at += wait;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test('a hundred concurrent attempts are all counted', async () => {
    const one = (await person()).from(address());
    const outcomes = await repeat(100, () => attempt(one, 'wrong'));
    // The one after the free ones is let through and begins the wait.
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(11);
  });

  test('a success resets the count', async () => {
    const { id, email } = await person();
    // Without an address nothing is known about the client afterwards.
    const one = createLoginAttempt(email, id, { address: undefined, deviceToken: undefined });
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 9; n++) expect(await attempt(one, 'wrong')).toBe('wrong');
      expect(await attempt(one, 'right')).toBe('right');
    }
  });

  test('failures expire after a day, and their rows are deleted', async () => {
    const [one, other] = [(await person()).from(address()), (await person()).from(address())];
    for (let n = 0; n < 10; n++) await attempt(one, 'wrong');
    await attempt(other, 'wrong');
    const nextDay = 25 * 3600;
    for (let n = 0; n < 10; n++) expect(await attempt(one, 'wrong', nextDay)).toBe('wrong');
    await attempt((await person()).from(address()), 'wrong', nextDay);
    const rows = await database.sql`
      select key from attempt_lane where key in ${database.sql(other.lanes.map(({ key }) => key))}`;
    expect(rows).toHaveLength(0);
  });
});

describe('correct secrets', () => {
  test('a hundred concurrent ones are all let in, despite different clocks', async () => {
    const me = await person();
    const where = address();
    const outcomes = await repeat(100, (n) =>
      attempt(me.from(where), 'right', ((n * 7) % 100) / 1000),
    );
    expect(new Set(outcomes)).toEqual(new Set(['right']));
  });

  test('an attacker at another address does not keep the owner out, nor on a new network', async () => {
    const me = await person();
    const attacker = address();
    for (let second = 0; second < 30; second++) {
      await repeat(20, () => attempt(me.from(attacker), 'wrong', second));
      if (second % 10 === 0) {
        expect(await attempt(me.from(address()), 'right', second)).toBe('right');
      }
    }
    expect(await attempt(me.from(attacker), 'right', 30)).toBeNumber();
  });

  test('known devices and networks are let in while many networks guess at once; a new one waits', async () => {
    const me = await person();
    const [home, device] = [address(), 'd'.repeat(32)];
    expect(await attempt(me.from(home, device), 'right')).toBe('right');
    // Each network has its own free failures; together they fill the lane of the account.
    for (let n = 0; n < 15; n++) {
      const where = address();
      await repeat(11, () => attempt(me.from(where), 'wrong'));
    }
    expect(await attempt(me.from(home), 'right')).toBe('right');
    const elsewhere = address();
    expect(await attempt(me.from(elsewhere, device), 'right')).toBe('right');
    expect(await attempt(me.from(address()), 'right')).toBeNumber();
    // Also a network that only the device made known is known from then on.
    expect(await attempt(me.from(elsewhere), 'right')).toBe('right');
    // Another account is not concerned.
    expect(await attempt((await person()).from(address()), 'right')).toBe('right');
    // Once the guessing stops, the wait is over within a minute.
    expect(await attempt(me.from(address()), 'right', 60)).toBe('right');
  });

  test('a known network stays open while somebody on it guesses', async () => {
    const me = await person();
    const home = address();
    await attempt(me.from(home), 'right');
    await repeat(200, () => attempt(me.from(home), 'wrong'));
    expect(await attempt(me.from(home), 'right')).toBe('right');
  });

  test('a client with a thousand failures a day loses its trust until the next day', async () => {
    const me = await person();
    const home = address();
    await attempt(me.from(home), 'right');
    await database.sql`
      update known_client set failures = 999, failed_at = ${NOW.toISOString()}
      where user_id = ${me.id}`;
    expect(await attempt(me.from(home), 'wrong')).toBe('wrong');
    for (let n = 0; n < 11; n++) expect(await attempt(me.from(home), 'wrong')).toBe('wrong');
    expect(await attempt(me.from(home), 'right')).toBe(1);
    expect(await attempt(me.from(home), 'right', 25 * 3600)).toBe('right');
  });

  test('a device known to one account is unknown to another', async () => {
    const [me, other] = [await person(), await person()];
    const [home, device] = [address(), 'e'.repeat(32)];
    await attempt(me.from(home, device), 'right');
    await repeat(20, () => attempt(other.from(home, device), 'wrong'));
    expect(await attempt(other.from(home, device), 'right')).toBeNumber();
    // Guesses at one account do not slow down a neighbour who has signed in before.
    expect(await attempt(me.from(home), 'right')).toBe('right');
  });
});

test('an IPv6 customer has one count, however many addresses the network has', async () => {
  const me = await person();
  await repeat(30, (n) => attempt(me.from(`2001:db8:1:1::${n + 1}`), 'wrong'));
  expect(await attempt(me.from('2001:db8:1:1:ffff::1'), 'right')).toBeNumber();
  expect(await attempt(me.from('2001:db8:1:2::1'), 'right')).toBe('right');
});

test('one network cannot try the passwords of many accounts', async () => {
  const where = address();
  for (let n = 0; n < 51; n++) {
    expect(await attempt((await person()).from(where), 'wrong')).toBe('wrong');
  }
  expect(await attempt((await person()).from(where), 'wrong')).toBe(1);
});

test('an unknown account is slowed down like a known one', async () => {
  const nobody = createLoginAttempt('nobody@nas', undefined, {
    address: address(),
    deviceToken: 'f'.repeat(32),
  });
  const outcomes = await repeat(20, () => attempt(nobody, 'wrong'));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(11);
});

test('a session that knows the PIN is let in while another session guesses', async () => {
  const { id } = await person();
  const [mine, stolen] = [crypto.randomUUID(), crypto.randomUUID()];
  expect(await attempt(createSecretAttempt('pin', id, mine), 'right')).toBe('right');
  const outcomes = await repeat(30, () => attempt(createSecretAttempt('pin', id, stolen), 'wrong'));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(6);
  expect(await attempt(createSecretAttempt('pin', id, mine), 'right')).toBe('right');
  // More sessions are no more attempts: together they have twenty.
  let tried = 0;
  for (let n = 0; n < 20; n++) {
    const outcome = await attempt(createSecretAttempt('pin', id, crypto.randomUUID()), 'wrong');
    if (outcome === 'wrong') tried++;
  }
  expect(tried).toBe(15);
  expect(await attempt(createSecretAttempt('pin', id, mine), 'right')).toBe('right');
});

test('a session that knows the PIN waits for its own wrong ones, and others of the account do not', async () => {
  const { id } = await person();
  const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const check = (caller: string, secret: 'right' | 'wrong') =>
    attempt(createSecretAttempt('pin', id, caller), secret);
  for (const caller of [mine, other]) expect(await check(caller, 'right')).toBe('right');
  const outcomes = await repeat(30, () => check(mine, 'wrong'));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(6);
  expect(await check(mine, 'right')).not.toBe('right');
  expect(await check(other, 'right')).toBe('right');
});

test('the password of a link is slowed down by network, and by all of them together', async () => {
  const link = crypto.randomUUID();
  const attacker = address();
  await repeat(30, () => attempt(createLinkAttempt(link, attacker), 'wrong'));
  expect(await attempt(createLinkAttempt(link, attacker), 'right')).toBeNumber();
  expect(await attempt(createLinkAttempt(link, address()), 'right')).toBe('right');
  expect(await attempt(createLinkAttempt(crypto.randomUUID(), attacker), 'right')).toBe('right');
  for (let n = 0; n < 15; n++) {
    const where = address();
    await repeat(11, () => attempt(createLinkAttempt(link, where), 'wrong'));
  }
  expect(await attempt(createLinkAttempt(link, address()), 'right')).toBeNumber();
});

test('wrong tokens are not throttled until there are thousands', async () => {
  const lane = createTokenLane(address());
  const fail = () => countFailure(database.db, lane, NOW);
  await fail();
  await database.sql`update attempt_lane set failures = 2000 where key = ${lane.key}`;
  await fail();
  await expect(fail()).rejects.toThrow('Too many attempts');
});

test('an account remembers the last 64 clients, for at most half a year', async () => {
  const me = await person();
  const clients = async () =>
    (
      await database.sql<{ client: string }[]>`
        select client from known_client where user_id = ${me.id}`
    ).map(({ client }) => client);
  const first = address();
  await attempt(me.from(first), 'right');
  for (let n = 1; n <= 64; n++) await attempt(me.from(address()), 'right', n);
  expect(await clients()).toHaveLength(64);
  expect(await clients()).not.toContain(`network:${first}`);
  const last = address();
  await attempt(me.from(last), 'right', 181 * 24 * 3600);
  expect(await clients()).toEqual([`network:${last}`]);
  await database.sql`delete from app_user where id = ${me.id}`;
  expect(await clients()).toEqual([]);
});
