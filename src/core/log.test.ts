import { expect, test } from 'bun:test';
import { DrizzleQueryError } from 'drizzle-orm';
import { createLog, getErrorMessage } from './log.ts';

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
