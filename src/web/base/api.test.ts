import { expect, test } from 'bun:test';
import { parseError, queryString } from './api.ts';

test('the sentence of the server is shown as it is', () => {
  const error = parseError(400, '{"message":"Quota has been exceeded!"}');
  expect(error.message).toBe('Quota has been exceeded!');
  expect(error.status).toBe(400);
});

test('messages of single inputs go to their inputs, whichever way the path is written', () => {
  const body = {
    message: 'Validation failed',
    errors: [
      { path: 'email', message: 'must be an e-mail address' },
      { path: ['name'], message: 'is too long' },
    ],
  };
  const { fields } = parseError(400, JSON.stringify(body));
  expect(fields).toEqual({ email: 'must be an e-mail address', name: 'is too long' });
});

test('an answer that a proxy wrote becomes words, never HTML', () => {
  for (const status of [413, 429, 502, 404]) {
    const { message } = parseError(status, '<html><h1>Bad Gateway</h1></html>');
    expect(message).not.toContain('<');
    expect(message.length).toBeGreaterThan(10);
  }
});

test('filters that are not set are not sent', () => {
  expect(queryString({ albumId: 'a b', isFavorite: undefined, size: 3 })).toBe(
    '?albumId=a+b&size=3',
  );
  expect(queryString({})).toBe('');
});

test('an answer that asks for the password is known by its code, in the errors of Immich too', () => {
  const code = 'proof_required';
  const own = parseError(403, JSON.stringify({ message: 'Enter it', code }));
  const error = { code, path: ['oauth', 'issuerUrl'], message: 'Enter it' };
  const immich = parseError(403, JSON.stringify({ message: 'Enter it', errors: [error] }));
  expect([own.code, immich.code]).toEqual([code, code]);
  const other = { ...error, code: 'custom' };
  expect(parseError(400, JSON.stringify({ errors: [other] })).code).toBeUndefined();
});
