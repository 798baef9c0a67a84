import { afterEach, expect, test } from 'bun:test';
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
