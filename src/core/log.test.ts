import { afterEach, describe, expect, test } from 'bun:test';
import { closeSync, fstatSync, openSync, readFileSync, type Stats, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { createLog, getErrorMessage, setConfiguredThreshold } from './log.ts';

afterEach(() => setConfiguredThreshold('info'));

test('a query that failed is logged with its reason, and without its parameters', () => {
  for (const format of ['json', 'pretty'] as const) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', format, write: (line) => void lines.push(line) });
    const secret = 'anna@example.com\n    at secret';
    const error = new DrizzleQueryError(
      'insert into users values ($1)',
      [secret],
      new Error('duplicate key'),
    );
    log.error('request failed', { error });
    log.error('request failed', { error: new Error('outer', { cause: error }) });
    const text = lines.join('');
    expect(text).not.toContain('anna');
    expect(text).toContain('insert into users values ($1)');
    expect(text).toContain('duplicate key');
    expect(text).toContain('outer');
    expect(getErrorMessage(error)).not.toContain('anna');
  }
  expect(getErrorMessage(new Error('plain'))).toBe('plain');
});

const logOne = (format: 'json' | 'pretty', message: string, fields: object): string => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format, write: (line) => void lines.push(line) });
  log.info(message, fields as never);
  return lines.join('');
};

test('the compiler refuses fields that are no scalars', () => {
  const log = createLog({ level: 'error', format: 'json', write: () => {} });
  const picture = { name: 'a.jpg', bytes: new Uint8Array(2) };
  log.info('x', { text: 'a', count: 1, big: 1n, isSo: true, none: null, missing: undefined });
  log.info('x', { lanes: ['image', 'video'], error: picture as unknown });
  // @ts-expect-error a buffer
  log.info('x', { bytes: new Uint8Array(2) });
  // @ts-expect-error an object with one, by its members
  log.info('x', { id: 1, ...picture });
  // @ts-expect-error an object
  log.with({ picture });
  // @ts-expect-error an error under another name
  log.warn('x', { reason: new Error('x') });
});

test('values that are no scalars are dropped with a note, long ones and the line are cut', () => {
  const line = logOne('json', 'x'.repeat(100_000), {
    bytes: new Uint8Array(500_000).fill(7),
    object: { password: 'hidden' },
    list: ['a', { password: 'hidden' }],
    call: () => 'hidden',
    text: 'y'.repeat(131_665),
    big: 2n ** 70n,
    lanes: ['image', 'video'],
    ids: Array.from({ length: 5000 }, (_, id) => `id-${id}`),
  });
  expect(line).not.toContain('hidden');
  expect(line).not.toContain('7,7');
  expect(JSON.parse(line)).toMatchObject({
    bytes: '[not logged: Uint8Array]',
    object: '[not logged: Object]',
    list: '[not logged: Array]',
    call: '[not logged: Function]',
    text: `${'y'.repeat(1024)}… (131665 characters)`,
    big: '1180591620717411303424',
    lanes: 'image, video',
    ids: expect.stringMatching(/^id-0, .*, id-19, … \(5000 items\)$/),
  });
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`f${n}`, '\0'.repeat(999)]),
  );
  for (const format of ['json', 'pretty'] as const) {
    expect(logOne(format, 'x', many).length).toBeLessThan(20_000);
    expect(logOne(format, 'x', many)).toContain('droppedFields');
  }
});

test('an error is its name, message, code, stack and causes, and nothing else', () => {
  const refused = Object.assign(new Error('duplicate key value violates constraint "user_email"'), {
    name: 'PostgresError',
    severity: 'ERROR',
    code: '23505',
    detail: 'Key (email)=(anna@example.com) already exists.',
    query: 'insert into app_user',
    parameters: ['anna@example.com'],
    where: 'anna@example.com',
  });
  const error = Object.assign(new TypeError('outer', { cause: refused }), {
    response: { body: 'anna@example.com' },
    bytes: Buffer.from('anna@example.com'),
  });
  for (const format of ['json', 'pretty'] as const) {
    const line = logOne(format, 'failed', { error });
    expect(line).not.toContain('anna');
    for (const part of ['TypeError: outer', 'log.test.ts', 'caused by', 'PostgresError: duplicate'])
      expect(line).toContain(part);
    expect(line).toContain('(23505)');
    const huge = new Error('m'.repeat(50_000), { cause: new Error('c'.repeat(50_000)) });
    expect(logOne(format, 'failed', { error: huge }).length).toBeLessThan(8000);
  }
  const syntax = Object.assign(new Error('invalid input syntax for type uuid: "my "secret""'), {
    severity: 'ERROR',
    code: '22P02',
  });
  expect(getErrorMessage(syntax)).toBe('invalid input syntax for type uuid: "…"');
  expect(logOne('json', 'failed', { error: syntax })).not.toContain('secret');
  const circle = new Error('circle');
  circle.cause = circle;
  expect(logOne('json', 'failed', { error: circle })).toContain('circle');
});

test('a value makes no line of its own and moves no cursor', () => {
  const forged = 'a\n12:00:00 error forged\u001B[2J';
  const line = logOne('pretty', 'x', { name: forged });
  expect(line).not.toContain('\n12:00:00');
  expect(line).not.toContain('\u001B[2J');
});

describe('the journal reads priorities', () => {
  const log = `import { createLog } from ${JSON.stringify(join(import.meta.dir, 'log.ts'))};`;
  const source = `${log}
    const log = createLog({ level: 'debug', format: 'pretty' });
    for (const level of ['debug', 'info', 'warn', 'error']) log[level](level, { text: 'a\\nb' });`;
  /** Runs the source with standard error in a file, which `JOURNAL_STREAM` names or not. */
  async function run(toStream: (info: Stats) => string | undefined): Promise<string[]> {
    const path = join(tmpdir(), `safelight-log-${process.pid}-${Math.random()}`);
    const fd = openSync(path, 'w+');
    const { JOURNAL_STREAM: _, ...env } = process.env;
    const stream = toStream(fstatSync(fd));
    const child = Bun.spawn([process.execPath, '-e', source], {
      env: { ...env, ...(stream !== undefined && { JOURNAL_STREAM: stream }) },
      stdio: ['ignore', 'ignore', fd],
    });
    expect(await child.exited).toBe(0);
    const text = readFileSync(path, 'utf8');
    closeSync(fd);
    unlinkSync(path);
    return text.trimEnd().split('\n');
  }

  test('from each line of the stream that systemd has connected to it', async () => {
    const lines = await run(({ dev, ino }) => `${dev}:${ino}`);
    expect(lines.map((line) => line.slice(0, 3))).toEqual(
      ['<7>', '<6>', '<4>', '<3>'].flatMap((prefix) => [prefix, prefix]),
    );
  });

  test('and nothing else does', async () => {
    for (const toStream of [
      () => undefined,
      () => '',
      ({ dev, ino }: Stats) => `${dev}:${ino + 1}`,
      ({ dev, ino }: Stats) => `${dev + 1}:${ino}`,
    ]) {
      expect((await run(toStream)).join('\n')).not.toMatch(/<\d>/);
    }
  });
});

test('a log without a level of its own follows the configuration', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line).message);
  const configured = createLog({ level: undefined, format: 'json', write }).with({ lane: 'image' });
  const own = createLog({ level: 'warn', format: 'json', write });
  const say = () => {
    lines.length = 0;
    configured.debug('a');
    configured.info('b');
    configured.error('c');
    own.info('d');
    own.warn('e');
    return lines.join('');
  };
  expect(say()).toBe('bce');
  setConfiguredThreshold('debug');
  expect(say()).toBe('abce');
  setConfiguredThreshold('error');
  expect(say()).toBe('ce');
  setConfiguredThreshold('off');
  expect(say()).toBe('e');
});
