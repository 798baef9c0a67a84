import { expect, test } from 'bun:test';
import {
  isUnlocked,
  LINK_UNLOCK_SECONDS,
  createUnlockToken,
  addUnlockToken,
} from './link-unlock.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const link = (id: string, passwordHash = `hash of ${id}`) => ({ id, passwordHash });

test('CVE-2026-22784: a token opens the link it was given for, and no other', () => {
  const token = createUnlockToken(link('a'), NOW);
  expect(isUnlocked(link('a'), token, NOW)).toBe(true);
  expect(isUnlocked(link('b'), token, NOW)).toBe(false);
  expect(isUnlocked(link('b', 'hash of a'), token, NOW)).toBe(false);
  expect(isUnlocked(link('a', 'hash of another password'), token, NOW)).toBe(false);
});

test('a token expires after a day and cannot be extended', () => {
  const token = createUnlockToken(link('a'), NOW);
  expect(isUnlocked(link('a'), token, after(LINK_UNLOCK_SECONDS - 1))).toBe(true);
  expect(isUnlocked(link('a'), token, after(LINK_UNLOCK_SECONDS))).toBe(false);
  const [, signed] = token.split('.');
  const later = `${(Math.floor(NOW.getTime() / 1000) + 10 * LINK_UNLOCK_SECONDS).toString(36)}.${signed}`;
  expect(isUnlocked(link('a'), later, NOW)).toBe(false);
});

test('a cookie holds several links, the newest in front', () => {
  let cookie: string | undefined;
  for (let n = 0; n < 30; n++)
    cookie = addUnlockToken(cookie, createUnlockToken(link(`${n}`), NOW), NOW);
  for (const [n, isOpen] of [
    [29, true],
    [10, true],
    [9, false],
    [0, false],
  ] as const) {
    expect(isUnlocked(link(`${n}`), cookie, NOW)).toBe(isOpen);
  }
  // Browsers accept these characters in a cookie value without quotes (RFC 6265 §4.1.1).
  expect(cookie).toMatch(/^[\w.~-]+$/);
  expect(cookie!.length).toBeLessThan(2000);
  const day = after(LINK_UNLOCK_SECONDS);
  expect(addUnlockToken(cookie, createUnlockToken(link('a'), day), day).split('~')).toHaveLength(1);
});

test('anything else in the cookie gives no access', () => {
  const signed = 'A'.repeat(43);
  for (const cookie of [undefined, '', '~', 'x', `zzz.${signed}`, `${'z'.repeat(10)}.${signed}`]) {
    expect(isUnlocked(link('a'), cookie, NOW)).toBe(false);
  }
});
