import { expect, test } from 'bun:test';
import { testDatabase } from '../../../../test/support/harness.ts';
import { parseOpenMetrics } from '../../../../test/support/openmetrics.ts';
import { formatMetrics } from '../../../core/openmetrics.ts';
import { openDatabase } from '../../../db/client.ts';
import { collectMetrics } from './metrics.domain.ts';

test('without its database the server still tells about itself', async () => {
  await using database = await testDatabase();
  const nowhere = openDatabase('postgres://127.0.0.1:1/nothing', { max: 1 });
  const text = formatMetrics(await collectMetrics({ ...database.deps, db: nowhere.db }, 3));
  await nowhere.close();
  const { samples, types } = parseOpenMetrics(text);
  expect(samples.get('safelight_database_up')).toBe(0);
  expect(samples.get('safelight_live_clients')).toBe(3);
  expect([...types.keys()].filter((name) => /queue|jobs|connections/.test(name))).toEqual([]);
});

test('the test reader refuses what the specification forbids', () => {
  const family = '# TYPE a gauge\n# HELP a It.\n';
  for (const text of [
    `${family}a 1\n`,
    `${family}b 1\n# EOF\n`,
    `${family}a 1\na 2\n# EOF\n`,
    `${family}a{b=c} 1\n# EOF\n`,
    `${family}a one\n# EOF\n`,
    `${family}${family}a 1\n# EOF\n`,
    '# TYPE a counter\na 1\n# EOF\n',
    '# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n',
    '# TYPE a histogram\na_bucket{b="c",le="1.0"} 1\na_count{b="c"} 1\na_sum{b="c"} 1\n# EOF\n',
  ]) {
    expect(() => parseOpenMetrics(text)).toThrow();
  }
  expect(parseOpenMetrics(`${family}a{b="c\\"d"} 1\n# EOF\n`).samples.get('a{b="c\\"d"}')).toBe(1);
});
