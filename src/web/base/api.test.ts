import { expect, test } from 'bun:test';
import { ApiError, isRetryable, parseError, queryString } from './api.ts';

test('what the server says to programs is kept beside the text for people', () => {
  const error = parseError(400, '{"message":"Quota has been exceeded!"}');
  expect(error.message).toBe('Your storage quota is used up.');
  expect(error.serverMessage).toBe('Quota has been exceeded!');
  expect(error.status).toBe(400);
});

test('messages of single inputs go to their inputs, whichever way the path is written', () => {
  const body = {
    message: 'Validation failed',
    errors: [
      { path: 'email', message: 'Invalid input: expected email, received string' },
      { path: ['name', 0], message: 'Too big: expected string to have <=20 characters' },
      { path: 'quota', message: 'Odd' },
    ],
  };
  const { fields, message } = parseError(400, JSON.stringify(body));
  expect(fields).toEqual({
    email: 'This is not a valid email address.',
    'name.0': 'At most 20 characters.',
    quota: 'This is not valid.',
  });
  expect(message).toBe('This is not a valid email address. At most 20 characters.');
  const odd = parseError(400, '{"errors":[{"path":"quota","message":"Odd"}]}');
  expect(odd.message).toBe('Something that was entered is not valid.');
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

test('only what may succeed later is tried again', () => {
  for (const status of [0, 429, 500, 503]) expect(isRetryable(new ApiError(status, ''))).toBe(true);
  for (const status of [-1, 400, 401, 403, 404, 409, 413, 415]) {
    expect([status, isRetryable(new ApiError(status, ''))]).toEqual([status, false]);
  }
  expect(isRetryable(parseError(409, '{"code":"concurrent_request"}'))).toBe(true);
  expect(isRetryable(parseError(409, '{"code":"stale_revision"}'))).toBe(false);
});
