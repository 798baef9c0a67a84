import { describe, expect, test } from 'bun:test';
import { GenerationFixture, TODAY } from '../../../../test/support/generated-memories.ts';
import { call, seed, testApp } from '../../../../test/support/harness.ts';

const fixture = new GenerationFixture();

describe('on this day', () => {
  test('shows the pictures of each former year on the day, in their order', async () => {
    const of2020 = await fixture.addMany(4, '2020-11-21');
    const of2019 = await fixture.addMany(5, '2019-11-21');
    await fixture.addMany(3, '2018-11-21');
    await fixture.addMany(4, '2020-11-20');
    await fixture.addMany(4, '2020-11-25');
    await fixture.addMany(4, '2026-11-21');
    await fixture.generate();
    const rows = await fixture.list();
    expect(rows.map(({ key }) => key)).toEqual([
      'on_this_day 2026-11-21 2019-11-21',
      'on_this_day 2026-11-21 2020-11-21',
    ]);
    expect(rows[0]).toMatchObject({
      type: 'on_this_day',
      data: { year: 2019 },
      memoryAt: '2019-11-21 00:00:00',
      showAt: '2026-11-21 00:00:00',
      hideAt: '2026-11-21 23:59:59.999',
    });
    expect(rows[0]!['ids'].toSorted()).toEqual(of2019.toSorted());
    expect(rows[1]!['ids'].toSorted()).toEqual(of2020.toSorted());
    const { body } = await call(
      testApp(fixture.database, { now: () => TODAY }),
      'GET /memories?for=2026-11-21',
      { as: fixture.me },
    );
    expect(body.map(({ data }: { data: { year: number } }) => data.year).toSorted()).toEqual([
      2019, 2020,
    ]);
  });

  test('is made three days ahead', async () => {
    for (const day of ['22', '23', '24', '25']) await fixture.addMany(4, `2020-11-${day}`);
    await fixture.generate();
    expect((await fixture.list()).map(({ showAt }) => showAt.slice(0, 10))).toEqual([
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
    ]);
  });

  test('means the local day of a picture', async () => {
    const late = { takenAt: new Date('2020-11-22T05:00:00Z'), createdAt: new Date(0) };
    const ids = [];
    for (const hour of [19, 20, 21, 22]) {
      ids.push(
        await fixture.add('2020-11-21', { ...late, localTakenAt: `2020-11-21T${hour}:00:00` }),
      );
    }
    for (const hour of [1, 2, 3, 4]) {
      const takenAt = new Date('2020-11-21T17:00:00Z');
      await fixture.add('2020-11-20', { takenAt, localTakenAt: `2020-11-20T0${hour}:00:00` });
    }
    await fixture.generate();
    expect((await fixture.list()).map((row) => row['ids'])).toEqual([ids]);
  });

  test('29 February is remembered on the 28th, and on its own day in a leap year', async () => {
    await fixture.addMany(4, '2020-02-29');
    await fixture.addMany(4, '2019-02-28');
    await fixture.generate(fixture.me.id, new Date('2026-02-28T03:00:00Z'));
    expect((await fixture.list()).map(({ key, data }) => [key, data.year])).toEqual([
      ['on_this_day 2026-02-28 2019-02-28', 2019],
      ['on_this_day 2026-02-28 2020-02-29', 2020],
    ]);
    const other = await seed(fixture.database).user();
    for (let n = 0; n < 4; n++) await fixture.add('2020-02-29', { ownerId: other.id });
    await fixture.generate(other.id, new Date('2028-02-28T03:00:00Z'));
    expect((await fixture.list(other.id)).map(({ key }) => key)).toEqual([
      'on_this_day 2028-02-29 2020-02-29',
    ]);
  });

  test('shows at most twenty, and none twice', async () => {
    await fixture.addMany(40, '2020-11-21', {});
    await fixture.generate();
    const [memory] = await fixture.list();
    expect(memory!['ids']).toHaveLength(20);
    expect(new Set(memory!['ids']).size).toBe(20);
  });
});
