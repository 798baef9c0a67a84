import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { signToken, verifyToken } from './token.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const token = signToken('secret', { username: 'Ada' }, NOW);
const afterHours = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

test('a token is valid for four hours', () => {
  expect(verifyToken('secret', token, afterHours(3.99))).toEqual({ username: 'Ada' });
  expect(verifyToken('secret', token, afterHours(4))).toBeUndefined();
});

test('a token of another secret, without one, changed or malformed is refused', () => {
  expect(verifyToken('other', token, NOW)).toBeUndefined();
  expect(verifyToken(undefined, token, NOW)).toBeUndefined();
  const [header, , signature] = token.split('.');
  const claims = Buffer.from('{"username":"Eve","exp":99999999999}').toString('base64url');
  for (const bad of ['', 'a.b.c', `${header}.${claims}.${signature}`, `${token}.x`, `${header}..`])
    expect(verifyToken('secret', bad, NOW)).toBeUndefined();
});

test('a token that names another algorithm is refused, however it is signed', () => {
  const [, claims] = token.split('.');
  for (const alg of ['none', 'HS512']) {
    const head = Buffer.from(JSON.stringify({ alg })).toString('base64url');
    const signature = createHmac('sha256', 'secret')
      .update(`${head}.${claims}`)
      .digest('base64url');
    expect(verifyToken('secret', `${head}.${claims}.${signature}`, NOW)).toBeUndefined();
    expect(verifyToken('secret', `${head}.${claims}.`, NOW)).toBeUndefined();
  }
});
