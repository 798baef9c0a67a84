import { afterAll, beforeAll, expect, test } from 'bun:test';
import { NOW, type TestDatabase, testDatabase } from '../../test/harness.ts';
import { AppError } from '../core/errors.ts';
import { attemptSucceeded, countAttempt, type Subject } from './guesses.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
let made = 0;
const subject = (free = 3): Subject => ({ name: `test:${made++}`, free });

/** Seconds to wait; 0 when the attempt may be made. */
async function attempt(subject: Subject, seconds = 0): Promise<number> {
  try {
    await countAttempt(database.db, [subject], after(seconds));
    return 0;
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 429) throw error;
    return Number(error.headers['retry-after']);
  }
}

test('the first failures are free, then each wait is twice the one before, up to a minute', async () => {
  const one = subject();
  for (let n = 0; n < 3; n++) expect(await attempt(one)).toBe(0);

  let at = 0;
  const waits: number[] = [];
  for (let n = 0; n < 9; n++) {
    expect(await attempt(one, at)).toBe(0);
    const wait = await attempt(one, at);
    waits.push(wait);
    // A moment before the end it is still refused, and asking does not make it longer.
    expect(await attempt(one, at + wait - 0.1)).toBe(1);
    at += wait;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a thousand attempts at once are no way around the count', async () => {
  const one = subject();
  const waits = await Promise.all(Array.from({ length: 100 }, () => attempt(one)));
  // The one after the free ones is let through and begins the wait.
  expect(waits.filter((wait) => wait === 0)).toHaveLength(4);
});

test('a success starts the count anew for who succeeded, and gives one back to a shared address', async () => {
  const [owner, address] = [subject(), subject()];
  for (let n = 0; n < 3; n++) {
    await attempt(owner);
    await attempt(address);
  }
  await attemptSucceeded(database.db, { forget: [owner], shared: [address] }, NOW);

  for (let n = 0; n < 3; n++) expect(await attempt(owner)).toBe(0);
  expect(await attempt(address)).toBe(0);
  expect(await attempt(address)).toBe(0);
  expect(await attempt(address)).toBe(1);
});

test('failures of yesterday are forgotten, and their rows removed', async () => {
  const [one, other] = [subject(), subject()];
  for (let n = 0; n < 3; n++) await attempt(one);
  await attempt(other);
  const nextDay = 25 * 3600;
  for (let n = 0; n < 4; n++) expect(await attempt(one, nextDay)).toBe(0);
  expect(await attempt(one, nextDay)).toBe(1);
  const rows = await database.sql`select subject from guess where subject = ${other.name}`;
  expect(rows).toHaveLength(0);
});
