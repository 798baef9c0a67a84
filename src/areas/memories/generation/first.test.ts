import { describe, expect, test } from 'bun:test';
import { GenerationFixture, TODAY } from '../../../../test/support/generated-memories.ts';
import { call, testApp } from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { saveFeature } from '../../../../test/support/similar-assets.ts';
import { addDays } from './days.ts';
import { handleFindDueGenerations } from './generate.handlers.ts';

const fixture = new GenerationFixture();
const YESTERDAY = { createdAt: new Date('2026-11-20T12:00:00Z') };
const BERLIN = { latitude: 52.52, longitude: 13.41, city: 'Berlin', country: 'Germany' };
const ROME = { latitude: 41.9, longitude: 12.5, city: 'Rome', state: 'Lazio', country: 'Italy' };

/** A spring in Berlin with some days in Rome, and a person on all pictures of Berlin. */
async function importLibrary(values = YESTERDAY) {
  const { id: personId } = await addPerson(fixture.database, { ownerId: fixture.me.id, name: '' });
  const atHome: string[] = [];
  for (let n = 0; n < 14; n++) {
    const day = addDays('2023-03-02', n * 5);
    const id = await fixture.add(day, { ...values, exif: BERLIN });
    await addFace(fixture.database, { ownerId: fixture.me.id, personId, assetId: id });
    atHome.push(id);
  }
  const away: string[] = [];
  for (let n = 0; n < 12; n++) {
    const day = addDays('2023-05-13', Math.floor(n / 3));
    away.push(await fixture.add(day, { ...values, exif: ROME }));
  }
  return { personId, atHome, away };
}

const listKeys = async () => (await fixture.list()).map(({ key }) => key);

describe('a new library', () => {
  test('has memories of its last journey, of who is on it, and of its year, on the first day', async () => {
    const { personId, away } = await importLibrary();
    await fixture.generate();
    const rows = await fixture.list();
    expect(new Set(rows.map(({ key }) => key))).toEqual(
      new Set(['first place 2023-05-13', `first person ${personId}`, 'first year 2023']),
    );
    const place = rows.find(({ type }) => type === 'place')!;
    expect(place).toMatchObject({ subject: { city: 'Rome' }, showAt: '2026-11-21 00:00:00' });
    expect(place.ids.toSorted()).toEqual(away.toSorted());
    const app = testApp(fixture.database, { now: () => TODAY });
    const { body } = await call(app, 'GET /memories?for=2026-11-21&withAllTypes=true', {
      as: fixture.me,
    });
    const names = (body as { name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['A familiar face', 'Best of 2023', 'Rome']);
  });

  test('has them once, also after the owner has deleted one', async () => {
    await importLibrary();
    await fixture.generate();
    const keys = await listKeys();
    const app = testApp(fixture.database, { now: () => TODAY });
    const [memory] = await fixture.list();
    await call(app, `DELETE /memories/${memory!.id}`, { as: fixture.me });
    await fixture.generate(fixture.me.id, new Date('2026-11-22T03:00:00Z'));
    expect(await listKeys()).toEqual(keys);
  });

  test.each([
    ['locked', 'locked_at = now()'],
    ['archived', "visibility = 'archive'"],
    ['hidden', "visibility = 'hidden'"],
    ['trashed', 'trashed_at = now()'],
  ])('shows nothing that is %s', async (_, change) => {
    await importLibrary();
    await fixture.database.sql.unsafe(`update asset set ${change} where owner_id = $1`, [
      fixture.me.id,
    ]);
    await fixture.generate();
    expect(await listKeys()).toEqual([]);
  });

  test('leaves out somebody who is hidden, with the pictures of them', async () => {
    const { personId, atHome } = await importLibrary();
    await fixture.database.sql`update person set is_hidden = true where id = ${personId}`;
    await fixture.generate();
    const rows = await fixture.list();
    expect(rows.map(({ key }) => key)).toEqual(['first place 2023-05-13']);
    expect(rows.flatMap(({ ids }) => ids).filter((id) => atHome.includes(id))).toEqual([]);
  });

  test('follows the rules of the owner', async () => {
    await importLibrary();
    for (const type of ['place', 'person']) {
      await fixture.database.sql`insert into memory_rule (owner_id, kind, memory_type)
        values (${fixture.me.id}, 'memory-type', ${type})`;
    }
    await fixture.generate();
    expect(await listKeys()).toEqual(['first year 2023']);
  });

  test('is a new one no longer after two weeks', async () => {
    await importLibrary({ createdAt: new Date('2026-11-01T12:00:00Z') });
    await fixture.generate();
    expect(await listKeys()).toEqual([]);
  });

  test('is looked at again until it has a memory', async () => {
    const isDue = async () => {
      const effect = await handleFindDueGenerations(
        jobCtx(fixture.database, { now: () => TODAY }),
        {},
      );
      await fixture.database.sql`delete from job where name = 'memories.generate'`;
      await fixture.database.db.transaction(async (tx) => void (await effect?.(tx)));
      const rows = await fixture.database.sql`select from job
        where name = 'memories.generate' and payload ->> 'ownerId' = ${fixture.me.id}`;
      return rows.length > 0;
    };
    await fixture.add('2023-05-13', YESTERDAY);
    await fixture.generate();
    expect(await isDue()).toBe(true);
    await importLibrary();
    await fixture.generate();
    expect(await isDue()).toBe(false);
  });
});

describe('a day of one thing', () => {
  const SIGN = [
    [1, 0, 0, 0],
    [0.8, 0.6, 0, 0],
    [0.8, 0, 0.6, 0],
    [0.8, 0, 0, 0.6],
  ];
  async function photographSign(): Promise<string[]> {
    await fixture.database
      .sql`insert into analysis_model (task, model_id) values ('feature', 'feature')`;
    const ids = await fixture.addMany(4, '2020-11-21');
    for (const [n, assetId] of ids.entries()) {
      await saveFeature(fixture.database, { assetId, ownerId: fixture.me.id }, SIGN[n]!);
    }
    return ids;
  }

  test('is no story', async () => {
    await photographSign();
    await fixture.generate();
    expect(await listKeys()).toEqual([]);
  });

  /** Each shows a thing of its own. */
  async function photographOthers(count: number): Promise<void> {
    const ids = await fixture.addMany(count, '2020-11-21');
    for (const [n, assetId] of ids.entries()) {
      const vector = [0, 0, 0, 0].with(n + 2, -1);
      await saveFeature(fixture.database, { assetId, ownerId: fixture.me.id }, vector);
    }
  }

  test('is no story with one picture of something else, but with two', async () => {
    await photographSign();
    await photographOthers(1);
    await fixture.generate();
    expect(await listKeys()).toEqual([]);
    await photographOthers(2);
    await fixture.generate();
    expect(await listKeys()).toEqual(['on_this_day 2026-11-21 2020-11-21']);
  });

  test('is one where the owner likes a picture', async () => {
    const [first] = await photographSign();
    await fixture.database.sql`update asset set is_favorite = true where id = ${first!}`;
    await fixture.generate();
    expect(await listKeys()).toEqual(['on_this_day 2026-11-21 2020-11-21']);
  });
});

describe('why there is no memory', () => {
  const read = async () => {
    const app = testApp(fixture.database, { now: () => TODAY });
    return (await call(app, 'GET /memories/readiness', { as: fixture.me })).body;
  };

  test('is told: nothing is there, models look at it, it is too little, or they are switched off', async () => {
    expect(await read()).toEqual({ reason: 'empty' });
    await fixture.add('2023-05-13', { ...YESTERDAY, visibility: 'archive' });
    expect(await read()).toEqual({ reason: 'empty' });
    await fixture.add('2023-05-13', YESTERDAY);
    expect(await read()).toEqual({ reason: 'few' });
    await fixture.database
      .sql`insert into analysis_model (task, model_id) values ('faces', 'faces')`;
    expect(await read()).toEqual({ reason: 'analyzing' });
    await fixture.database.sql`update app_user set preferences = '{"memories":{"enabled":false}}'
      where id = ${fixture.me.id}`;
    expect(await read()).toEqual({ reason: 'off' });
  });
});
