import { describe, expect, test } from 'bun:test';
import {
  findTurn,
  GenerationFixture,
  getNight,
} from '../../../../test/support/generated-memories.ts';
import { call, seed, testApp } from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { addDays } from './days.ts';

const fixture = new GenerationFixture();

describe('a person', () => {
  async function addNamed(over = {}, count = 6) {
    const { id } = await addPerson(fixture.database, {
      ownerId: fixture.me.id,
      name: 'Ann',
      ...over,
    });
    const ids = await fixture.addYears(count);
    for (const assetId of ids) {
      await addFace(fixture.database, { ownerId: fixture.me.id, personId: id, assetId });
    }
    return { id, ids };
  }

  test('is remembered through the years, for three days, and not again within months', async () => {
    const { id, ids } = await addNamed();
    await fixture.addYears();
    const day = findTurn('person', id);
    await fixture.generate(fixture.me.id, getNight(day));
    const [memory, ...others] = await fixture.list();
    expect(others).toEqual([]);
    expect(memory).toMatchObject({
      key: `person ${day}`,
      type: 'person',
      data: {},
      subject: {},
      personId: id,
      petId: null,
      showAt: `${day} 00:00:00`,
      hideAt: `${addDays(day, 2)} 23:59:59.999`,
      ids,
    });
    for (let n = 1; n <= 80; n += 4)
      await fixture.generate(fixture.me.id, getNight(addDays(day, n)));
    expect(await fixture.list()).toEqual([memory!]);
    const { body } = await call(
      testApp(fixture.database, { now: () => getNight(day) }),
      `GET /memories/${memory!['id']}`,
      { as: fixture.me },
    );
    expect(body).toMatchObject({ type: 'person', data: {} });
  });

  test('is remembered on the birthday', async () => {
    const { id, ids } = await addNamed({ birthDate: '1990-11-22' });
    await fixture.generate();
    const rows = await fixture.list();
    expect(rows.map(({ key }) => key)).toContain(`birthday 2026-11-22 ${id}`);
    expect(rows.find(({ key }) => key?.startsWith('birthday'))).toMatchObject({
      type: 'person',
      personId: id,
      subject: { birthday: true },
      showAt: '2026-11-22 00:00:00',
      hideAt: '2026-11-22 23:59:59.999',
      ids,
    });
    await fixture.generate();
    expect(await fixture.list()).toEqual(rows);
  });

  test('born on 29 February has a birthday on the 28th', async () => {
    await addNamed({ birthDate: '1992-02-29' });
    await fixture.generate(fixture.me.id, new Date('2026-02-28T03:00:00Z'));
    expect((await fixture.list()).filter(({ subject }) => subject?.['birthday'])).toHaveLength(1);
  });

  const none: Readonly<Record<string, () => Promise<{ id: string }>>> = {
    'without a name': () => addNamed({ name: '' }),
    'who is hidden': () => addNamed({ isHidden: true }),
    'with four pictures': () => addNamed({}, 4),
    'with a rule': async () => {
      const person = await addNamed();
      await fixture.database.sql`insert into memory_rule (owner_id, kind, person_id)
        values (${fixture.me.id}, 'person', ${person.id})`;
      return person;
    },
    'with a rule about people': async () => {
      await fixture.database.sql`insert into memory_rule (owner_id, kind, memory_type)
        values (${fixture.me.id}, 'memory-type', 'person')`;
      return addNamed();
    },
    'who is on Locked pictures only': async () => {
      const person = await addNamed();
      await fixture.database
        .sql`update asset set locked_at = now() where owner_id = ${fixture.me.id}`;
      return person;
    },
    'of another account': async () => {
      const mine = fixture.me;
      fixture.me = await seed(fixture.database).user();
      const person = await addNamed();
      fixture.me = mine;
      return person;
    },
  };
  for (const [words, make] of Object.entries(none)) {
    test(`${words} is not remembered`, async () => {
      const { id } = await make();
      const day = findTurn('person', id);
      await fixture.database
        .sql`update person set birth_date = ${`1990-${day.slice(5)}`} where id = ${id}`;
      await fixture.generate(fixture.me.id, getNight(day));
      expect(await fixture.list()).toEqual([]);
    });
  }

  test('who is hidden or merged while the choice is made is shown as that', async () => {
    const shown = async (id: string) => {
      const app = testApp(fixture.database, { now: () => getNight(findTurn('person', id)) });
      const { body } = await call(app, 'GET /memories?type=person', { as: fixture.me });
      return body.length;
    };
    const hidden = await addNamed();
    const effect = await fixture.choose(getNight(findTurn('person', hidden.id)));
    await fixture.database.sql`update person set is_hidden = true where id = ${hidden.id}`;
    await fixture.database.db.transaction(async (tx) => void (await effect!(tx)));
    expect(await fixture.list()).toHaveLength(1);
    expect(await shown(hidden.id)).toBe(0);
    const { id } = await addPerson(fixture.database, { ownerId: fixture.me.id, name: 'Bea' });
    await fixture.database.sql`update person set merged_into = ${id}, is_hidden = false
      where id = ${hidden.id}`;
    expect(await shown(hidden.id)).toBe(1);
  });

  test('who was merged into another is not remembered, the other is with the pictures of both', async () => {
    const merged = await addNamed();
    const { id } = await addPerson(fixture.database, { ownerId: fixture.me.id, name: 'Bea' });
    await fixture.database.sql`update face set person_id = ${id} where person_id = ${merged.id}`;
    await fixture.database.sql`update person set merged_into = ${id} where id = ${merged.id}`;
    await fixture.generate(fixture.me.id, getNight(findTurn('person', id)));
    expect(await fixture.list()).toMatchObject([{ personId: id, ids: merged.ids }]);
  });
});
