import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../core/error-codes.ts';
import { AppError, type ErrorKind } from '../../core/errors.ts';
import { describeFault, describeRefusal, ERROR_TEXTS, MESSAGE_TEXTS } from './error-texts.ts';

const SERVER = join(import.meta.dir, '../..');
/** The sources of the server, which say all that it answers. */
const SOURCES = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^web\//.test(file))
  .map((file) => readFileSync(join(SERVER, file), 'utf8'))
  .join('\n');

const GENERAL = 'Something went wrong.';
const TROUBLE = 'The server had a problem. Try again in a moment.';

test('each code of the server has a text of its own catalogue, and no other has one', () => {
  expect(Object.keys(ERROR_TEXTS).toSorted()).toEqual([...ERROR_CODES].toSorted());
  for (const code of ERROR_CODES) {
    const text = describeRefusal({ status: 400, code, message: 'Words for programs' });
    const expected = code === 'source_unavailable' ? GENERAL : ERROR_TEXTS[code];
    expect([code, text]).toEqual([code, expected]);
  }
});

test('each code that is thrown is one of the registry', () => {
  const codes = new Set<string>(ERROR_CODES);
  // Codes of Zod for single inputs, and codes that are not part of an error response.
  const others = ['invalid_format', 'invalid_type', 'invalid_value', 'too_big', 'too_large'];
  const thrown = [...SOURCES.matchAll(/\bcode: '([a-z]+(?:_[a-z]+)+)'/g)].map(([, code]) => code!);
  expect(thrown.length).toBeGreaterThan(50);
  expect(thrown.filter((code) => !codes.has(code) && !others.includes(code))).toEqual([]);
});

test('each message that has a text is one that the server sends', () => {
  const unknown = Object.keys(MESSAGE_TEXTS).filter((message) => !SOURCES.includes(message));
  expect(unknown).toEqual([]);
});

test('no kind of error without a code shows what the server says to programs', () => {
  const kinds: readonly ErrorKind[] = ['badRequest', 'unauthorized', 'forbidden', 'notFound'];
  const more: readonly ErrorKind[] = ['conflict', 'gone', 'tooLarge', 'unsupportedMediaType'];
  const rest: readonly ErrorKind[] = ['tooManyRequests', 'failed', 'unavailable'];
  const texts = [...kinds, ...more, ...rest, 'insufficientStorage' as const].map((kind) => {
    const { status, message } = new AppError(kind, 'Words for programs');
    return [status, describeRefusal({ status, message })] as const;
  });
  expect(Object.fromEntries(texts)).toEqual({
    400: GENERAL,
    401: 'Your session has ended.',
    403: 'You have no permission to do this.',
    404: 'It is not there any more.',
    409: 'This is not possible at the moment.',
    410: 'It is not there any more.',
    413: 'The file is too large for this server.',
    415: 'This kind of file is not supported.',
    429: 'Too many attempts. Wait a moment and try again.',
    500: TROUBLE,
    503: TROUBLE,
    507: 'The disk of this server is full.',
  });
});

test('an error that nobody has foreseen names the request, one that is known does not', () => {
  const reference = '0b6a1f52';
  expect(describeRefusal({ status: 400, message: 'Odd', reference })).toBe(
    `${GENERAL} Reference: 0b6a1f52`,
  );
  expect(describeRefusal({ status: 500, reference })).toBe(`${TROUBLE} Reference: 0b6a1f52`);
  expect(describeRefusal({ status: 404, reference })).not.toContain(reference);
  expect(describeRefusal({ status: 400, code: 'quota_exceeded', reference })).not.toContain(
    reference,
  );
});

test('messages of Immich operations, which have no codes, are told apart', () => {
  const describe = (message: string) => describeRefusal({ status: 400, message });
  expect(describe('Invalid password')).toBe('Wrong password.');
  expect(describe('Quota has been exceeded!')).toBe(ERROR_TEXTS.quota_exceeded);
  expect(describe('Not found or no asset.read access')).toBe(ERROR_TEXTS.no_access);
  expect(describe('toString')).toBe(GENERAL);
});

test.each([
  ['invalid_type', 'Invalid input: expected string, received number', 'This is not valid.'],
  ['custom', 'Not a cursor', 'This is not valid.'],
  ['too_small', 'Too small: expected string to have >=1 characters', 'Required'],
  ['too_small', 'Too small: expected string to have >=8 characters', 'At least 8 characters.'],
  ['too_big', 'Too big: expected string to have <=255 characters', 'At most 255 characters.'],
  ['too_small', 'Too small: expected number to be >=2', 'At least 2.'],
  ['custom', 'Must be from 1 to 60', 'A number from 1 to 60.'],
  ['custom', 'Set by --smtp-host', '--smtp-host decides it when the server starts.'],
  ['custom', 'Unknown placeholder {{person}}', 'Unknown placeholder: {{person}}'],
  [
    'invalid_type',
    'Invalid input: expected email, received string',
    'This is not a valid email address.',
  ],
  [
    'key_refused',
    'http://nas does not know this API key',
    'The other server does not know this API key.',
  ],
])('an input that is refused by %s, “%s”, has its text', (code, message, text) => {
  expect(describeFault(code, message)).toBe(text);
});
