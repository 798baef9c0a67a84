import { describe, expect, test } from 'bun:test';
import {
  findTurn,
  GenerationFixture,
  getNight,
} from '../../../../test/support/generated-memories.ts';
import { addDays } from './days.ts';

const fixture = new GenerationFixture();

describe('a journey', () => {
  const BERLIN = { latitude: 52.52, longitude: 13.41, city: 'Berlin', country: 'Germany' };
  const ROME = { latitude: 41.9, longitude: 12.5, city: 'Rome', state: 'Lazio', country: 'Italy' };
  async function travel(): Promise<string[]> {
    for (let n = 0; n < 12; n++) await fixture.add(addDays('2023-04-20', n), { exif: BERLIN });
    const ids = [];
    for (let n = 0; n < 4; n++) {
      for (let k = 0; k < 3; k++)
        ids.push(await fixture.add(addDays('2023-05-03', n), { exif: ROME }));
    }
    await fixture.add('2023-05-06', { exif: BERLIN, isFavorite: true });
    return ids;
  }

  test('is remembered with its place, without what was taken at home', async () => {
    const ids = await travel();
    const day = findTurn('place', '2023-05-03');
    await fixture.generate(fixture.me.id, getNight(day));
    const [memory, ...others] = (await fixture.list()).filter(({ type }) => type === 'place');
    expect(others).toEqual([]);
    expect(memory).toMatchObject({
      key: `place ${day}`,
      data: {},
      subject: { city: 'Rome', state: 'Lazio', country: 'Italy' },
      memoryAt: '2023-05-03 00:00:00',
    });
    expect(memory!['ids'].toSorted()).toEqual(ids.toSorted());
  });

  test('is not remembered while a rule is about places', async () => {
    await travel();
    await fixture.database.sql`insert into memory_rule (owner_id, kind, memory_type)
      values (${fixture.me.id}, 'memory-type', 'place')`;
    await fixture.generate(fixture.me.id, getNight(findTurn('place', '2023-05-03')));
    expect(await fixture.list()).toEqual([]);
  });
});
