import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import {
  call,
  type NewAsset,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { addThumbnail, saveFeature } from '../../../../test/support/similar-assets.ts';
import { users } from '../../../db/tables/identity.ts';
import { closeImageChildren } from '../../../media/image-children.ts';
import { addDays } from './days.ts';
import { findSlot, pickSubject, type SlotKind } from './slots.ts';
import { handleFindDueGenerations, handleGenerateMemories } from './generate.handlers.ts';

let database: TestDatabase;
let me: TestUser;
let picture: Uint8Array;
let blurred: Uint8Array;
let black: Uint8Array;
const TODAY = new Date('2026-11-21T03:00:00Z');

beforeAll(async () => {
  database = await testDatabase();
  const noise = sharp({
    create: {
      width: 320,
      height: 240,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
  picture = await noise.png().toBuffer();
  blurred = await sharp(picture).blur(12).png().toBuffer();
  black = await sharp(picture).linear(0.02).png().toBuffer();
});
afterAll(async () => {
  await closeImageChildren();
  await database.close();
});
beforeEach(async () => {
  await database.sql`delete from analysis_model`;
  me = await seed(database).user();
});

type Picture = Omit<NewAsset, 'ownerId'> & { readonly ownerId?: string };

/** A good picture of noon on a local day; they are half an hour apart. */
let added = 0;
async function add(
  day: string,
  values: Picture = {},
  thumbnail: Uint8Array | 'good' | null = 'good',
) {
  const minute = (added++ * 30) % 720;
  const time = `${String(6 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  const id = await seed(database).asset({
    ownerId: me.id,
    takenAt: new Date(`${day}T${time}:00Z`),
    localTakenAt: `${day}T${time}:00`,
    createdAt: new Date('2026-01-01T00:00:00Z'),
    ...values,
  });
  if (thumbnail === 'good') await addGoodThumbnail(id);
  else if (thumbnail) await addThumbnail(database, id, thumbnail);
  return id;
}
/** A thumbnail that was measured. */
async function addGoodThumbnail(assetId: string): Promise<void> {
  await database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${assetId}, 'thumbnail', ${assetId}, 'image/webp', 1, ${assetId})`;
  await database.sql`insert into picture_quality (asset_id, thumbnail_tag, sharpness, exposure)
    values (${assetId}, ${assetId}, 0.8, 1)`;
}
const addMany = async (count: number, day: string, values: Picture = {}) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await add(day, values));
  return ids;
};

async function generate(ownerId = me.id, now = TODAY): Promise<void> {
  const effect = await handleGenerateMemories(jobCtx(database, { now: () => now }), { ownerId });
  if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
}
type Row = Record<string, any>;
const list = async (ownerId = me.id): Promise<Row[]> => [
  ...(await database.sql`
    select key, type, data, subject, person_id as "personId", pet_id as "petId",
      memory_at at time zone 'utc' as "memoryAt", show_at at time zone 'utc' as "showAt",
      hide_at at time zone 'utc' as "hideAt", id, array(select asset_id::text from memory_asset
      where memory_id = memory.id order by position) as ids
    from memory where owner_id = ${ownerId} order by show_at, memory_at, key`),
];

describe('on this day', () => {
  test('shows the pictures of each former year on the day, in their order', async () => {
    const of2020 = await addMany(4, '2020-11-21');
    const of2019 = await addMany(5, '2019-11-21');
    await addMany(3, '2018-11-21');
    await addMany(4, '2020-11-20');
    await addMany(4, '2020-11-25');
    await addMany(4, '2026-11-21');
    await generate();
    const rows = await list();
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
      testApp(database, { now: () => TODAY }),
      'GET /memories?for=2026-11-21',
      { as: me },
    );
    expect(body.map((memory: Row) => memory['data'].year).toSorted()).toEqual([2019, 2020]);
  });

  test('is made three days ahead', async () => {
    for (const day of ['22', '23', '24', '25']) await addMany(4, `2020-11-${day}`);
    await generate();
    expect((await list()).map(({ showAt }) => showAt.slice(0, 10))).toEqual([
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
    ]);
  });

  test('means the local day of a picture', async () => {
    const late = { takenAt: new Date('2020-11-22T05:00:00Z'), createdAt: new Date(0) };
    const ids = [];
    for (const hour of [19, 20, 21, 22]) {
      ids.push(await add('2020-11-21', { ...late, localTakenAt: `2020-11-21T${hour}:00:00` }));
    }
    for (const hour of [1, 2, 3, 4]) {
      const takenAt = new Date('2020-11-21T17:00:00Z');
      await add('2020-11-20', { takenAt, localTakenAt: `2020-11-20T0${hour}:00:00` });
    }
    await generate();
    expect((await list()).map((row) => row['ids'])).toEqual([ids]);
  });

  test('29 February is remembered on the 28th, and on its own day in a leap year', async () => {
    await addMany(4, '2020-02-29');
    await addMany(4, '2019-02-28');
    await generate(me.id, new Date('2026-02-28T03:00:00Z'));
    expect((await list()).map(({ key, data }) => [key, data.year])).toEqual([
      ['on_this_day 2026-02-28 2019-02-28', 2019],
      ['on_this_day 2026-02-28 2020-02-29', 2020],
    ]);
    const other = await seed(database).user();
    for (let n = 0; n < 4; n++) await add('2020-02-29', { ownerId: other.id });
    await generate(other.id, new Date('2028-02-28T03:00:00Z'));
    expect((await list(other.id)).map(({ key }) => key)).toEqual([
      'on_this_day 2028-02-29 2020-02-29',
    ]);
  });

  test('shows at most twenty, and none twice', async () => {
    await addMany(40, '2020-11-21', {});
    await generate();
    const [memory] = await list();
    expect(memory!['ids']).toHaveLength(20);
    expect(new Set(memory!['ids']).size).toBe(20);
  });
});

/** Each makes pictures that a memory must not show. */
const exclusions: Readonly<Record<string, (day: string) => Promise<unknown>>> = {
  'of a partner': async (day) => {
    const partner = await seed(database).user();
    await database.sql`insert into partner (sharer_id, viewer_id, in_timeline)
      values (${partner.id}, ${me.id}, true)`;
    return add(day, { ownerId: partner.id });
  },
  Locked: (day) => add(day, { lockedAt: TODAY }),
  trashed: (day) => add(day, { trashedAt: TODAY }),
  archived: (day) => add(day, { visibility: 'archive' }),
  'hidden, as video halves are': (day) => add(day, { visibility: 'hidden' }),
  'without a thumbnail': (day) => add(day, {}, null),
  blurred: (day) => add(day, { isFavorite: true }, blurred),
  black: (day) => add(day, { isFavorite: true }, black),
  rejected: (day) => add(day, { exif: { rating: -1 } }),
  'of a screen': (day) => add(day, { fileName: 'Screenshot_20201121.jpg' }),
  'of a screen, by its format': (day) => add(day, { fileName: 'IMG_0001.PNG' }),
  'with sound only': (day) => add(day, { type: 'AUDIO' }),
  'of a document': async (day) => {
    const id = await add(day);
    return database.sql`insert into document (asset_id, model_id, folded)
      values (${id}, 'm', 'invoice of the twelfth of may 2020')`;
  },
  'with a hidden person': async (day) => {
    const { id: personId } = await addPerson(database, { ownerId: me.id, isHidden: true });
    return addFace(database, { ownerId: me.id, personId, assetId: await add(day) });
  },
  'with a person to see less of': async (day) => {
    const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ex' });
    await database.sql`insert into memory_rule (owner_id, kind, person_id)
      values (${me.id}, 'person', ${personId})`;
    return addFace(database, { ownerId: me.id, personId, assetId: await add(day) });
  },
  'with a pet to see less of': async (day) => {
    const [pet] = await database.sql`insert into pet (owner_id, species) values (${me.id}, 'dog')
      returning id`;
    await database.sql`insert into memory_rule (owner_id, kind, pet_id)
      values (${me.id}, 'pet', ${pet!['id']})`;
    return database.sql`
      insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
      values (${pet!['id']}, ${await add(day)}, 'dog', 0, 0, 1, 1, 1, 'm')`;
  },
  'that a stack does not show': async (day) => {
    const stackId = crypto.randomUUID();
    const primary = await add('2021-01-01');
    await database.sql`insert into stack (id, owner_id, primary_id)
      values (${stackId}, ${me.id}, ${primary})`;
    await database.sql`update asset set stack_id = ${stackId} where id = ${primary}`;
    return add(day, { stackId, isStackChild: true });
  },
  'that the analysis has not seen yet': async (day) => {
    await database.sql`insert into analysis_model (task, model_id) values ('text', 'm')`;
    return add(day, { createdAt: TODAY });
  },
};
describe('a memory leaves out pictures', () => {
  for (const [words, make] of Object.entries(exclusions)) {
    test(words, async () => {
      const good = await addMany(3, '2020-11-21');
      await make('2020-11-21');
      await generate();
      expect(await list()).toEqual([]);
      good.push(await add('2020-11-21'));
      await generate();
      const [memory] = await list();
      expect(memory!['ids'].toSorted()).toEqual(good.toSorted());
    });
  }

  test('under a content rule', async () => {
    const good = await addMany(3, '2020-11-21');
    const hidden = await add('2020-11-21');
    const [tag] = await database.sql`insert into tag (owner_id, value) values (${me.id}, 'Secret')
      returning id`;
    const targetId = tag!['id'] as string;
    await database.sql`insert into tag_asset (tag_id, asset_id) values (${targetId}, ${hidden})`;
    const rules = [{ id: crypto.randomUUID(), kind: 'tag', targetId }];
    await database.db
      .update(users)
      .set({ preferences: { lockedContent: { filterEnabled: true, rules } } })
      .where(eq(users.id, me.id));
    await generate();
    expect(await list()).toEqual([]);
    good.push(await add('2020-11-21'));
    await generate();
    expect((await list())[0]!['ids'].toSorted()).toEqual(good.toSorted());
  });

  test('that show the same as another', async () => {
    await database.sql`insert into analysis_model (task, model_id) values ('feature', 'feature')`;
    await database.sql`update asset set created_at = '2020-01-01'`;
    const ids = await addMany(6, '2020-11-21');
    const vectors = [
      [1, 0, 0, 0],
      [1, 0.1, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [0.1, 0, 0, 1],
    ];
    for (const [n, assetId] of ids.entries()) {
      await saveFeature(database, { assetId, ownerId: me.id }, vectors[n]!);
    }
    await generate();
    const [memory] = await list();
    const chosen: string[] = memory!['ids'];
    expect(chosen).toHaveLength(4);
    expect(chosen.filter((id) => ids.slice(0, 2).includes(id))).toHaveLength(1);
    expect(chosen.filter((id) => ids.slice(4).includes(id))).toHaveLength(1);
  });

  test('of bad quality, which is measured once for each thumbnail', async () => {
    const id = await add('2020-11-21', {}, picture);
    await addMany(3, '2020-11-21');
    const measured = () => database.sql`
      select thumbnail_tag as tag, sharpness, exposure from picture_quality where asset_id = ${id}`;
    await generate();
    expect((await list())[0]!['ids']).toContain(id);
    expect(await measured()).toEqual([{ tag: id, sharpness: 1, exposure: 1 }] as never);
    await database.sql`delete from memory where owner_id = ${me.id}`;
    await addThumbnail(database, id, blurred);
    await database.sql`update asset_file set tag = 'other' where asset_id = ${id}`;
    await generate();
    expect(await list()).toEqual([]);
    expect((await measured())[0]!['sharpness']).toBeLessThan(0.2);
  });

  test('of one burst, without what tells them apart', async () => {
    const takenAt = (second: number) => ({ localTakenAt: `2020-11-21T12:00:0${second}` });
    for (const second of [1, 2, 3, 4]) await add('2020-11-21', takenAt(second));
    await generate();
    expect(await list()).toEqual([]);
  });

  test('that are videos, but for two', async () => {
    await addMany(4, '2020-11-21');
    const videos: string[] = [];
    for (let n = 0; n < 4; n++) videos.push(await add('2020-11-21', { type: 'VIDEO' }));
    await generate();
    const [memory] = await list();
    expect(memory!['ids'].filter((id: string) => videos.includes(id))).toHaveLength(2);
  });
});

describe('the generation', () => {
  test('changes nothing when it runs again', async () => {
    await addMany(4, '2020-11-21');
    await generate();
    const before = await list();
    await addMany(2, '2020-11-21');
    await generate();
    expect(await list()).toEqual(before);
  });

  test('leaves out what was deleted or locked while it chose', async () => {
    const [first, second, ...rest] = await addMany(6, '2020-11-21');
    const ctx = jobCtx(database, { now: () => TODAY });
    const effect = await handleGenerateMemories(ctx, { ownerId: me.id });
    await database.sql`delete from asset where id = ${first!}`;
    await database.sql`update asset set locked_at = now() where id = ${second!}`;
    await database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await list())[0]!['ids'].toSorted()).toEqual(rest.toSorted());
  });

  test('that is killed before it ends adds nothing, and the next one all', async () => {
    await addMany(4, '2020-11-21');
    await handleGenerateMemories(jobCtx(database, { now: () => TODAY }), { ownerId: me.id });
    expect(await list()).toEqual([]);
    await generate();
    expect(await list()).toHaveLength(1);
  });

  test('does not bring back what the owner deleted or hid', async () => {
    await addMany(4, '2020-11-21');
    await generate();
    const app = testApp(database, { now: () => TODAY });
    const [memory] = await list();
    expect((await call(app, `DELETE /memories/${memory!['id']}`, { as: me })).status).toBe(204);
    await generate();
    expect(await list()).toHaveLength(1);
    expect((await call(app, 'GET /memories', { as: me })).body).toEqual([]);
  });

  test('makes none for an account that wants none', async () => {
    await addMany(4, '2020-11-21');
    await database.sql`update app_user set preferences = '{"memories":{"enabled":false}}'
      where id = ${me.id}`;
    await generate();
    expect(await list()).toEqual([]);
    expect(
      await database.sql`select from memory_generation where owner_id = ${me.id}`,
    ).toHaveLength(1);
  });

  test('keeps accounts apart', async () => {
    const other = await seed(database).user();
    const mine = await addMany(4, '2020-11-21');
    for (let n = 0; n < 4; n++) await add('2020-11-21', { ownerId: other.id });
    await generate();
    expect(await list(other.id)).toEqual([]);
    await generate(other.id);
    const members = (await list(other.id))[0]!['ids'];
    expect(members).toHaveLength(4);
    expect(members.filter((id: string) => mine.includes(id))).toEqual([]);
  });

  for (const [kind, column, value] of [
    ['memory-type', 'memory_type', 'on_this_day'],
    ['date', 'month_day', '11-21'],
  ] as const) {
    test(`follows a rule about a ${kind}`, async () => {
      await addMany(4, '2020-11-21');
      await database.sql`insert into memory_rule (owner_id, kind, ${database.sql(column)})
        values (${me.id}, ${kind}, ${value})`;
      await generate();
      expect(await list()).toEqual([]);
    });
  }

  test('of an account that is gone is nothing', async () => {
    await generate(crypto.randomUUID());
  });

  test('is due once a day, and after a large import', async () => {
    const due = async (now = TODAY): Promise<string[]> => {
      const effect = await handleFindDueGenerations(jobCtx(database, { now: () => now }), {});
      await database.sql`delete from job where name = 'memories.generate'`;
      await database.db.transaction(async (tx) => void (await effect!(tx)));
      const rows = await database.sql`
        select payload ->> 'ownerId' as id from job where name = 'memories.generate'`;
      return rows.map((row) => row['id'] as string);
    };
    expect(await due()).toContain(me.id);
    await generate();
    expect(await due()).not.toContain(me.id);
    expect(await due(new Date('2026-11-22T00:10:00Z'))).toContain(me.id);
    const grow = (assets: number) => database.sql`
      insert into asset_count (owner_id, local_month, type, visibility, is_locked, is_trashed,
        is_favorite, is_stack_child, assets, bytes, stamp)
      values (${me.id}, '2020-01-01', 'IMAGE', 'timeline', false, false, false, false, ${assets}, 0, 1)`;
    await grow(499);
    expect(await due()).not.toContain(me.id);
    await grow(1);
    expect(await due()).toContain(me.id);
    await generate();
    expect(await due()).not.toContain(me.id);
  });
});

/** The first day from TODAY on that is the turn of the only subject. */
function findTurn(kind: SlotKind, id: string): string {
  for (let day = '2026-11-21'; ; day = addDays(day, 1)) {
    const slot = findSlot(kind, day);
    if (slot !== undefined && pickSubject(kind, slot, [{ id }])) return day;
  }
}
const start = (day: string) => new Date(`${day}T03:00:00Z`);
/** Six pictures of different years, on days that are not remembered. */
async function addYears(count = 6): Promise<string[]> {
  const ids = [];
  for (let n = 0; n < count; n++) ids.push(await add(`${2015 + n}-07-${10 + n}`));
  return ids;
}

describe('a person', () => {
  async function addNamed(over = {}, count = 6) {
    const { id } = await addPerson(database, { ownerId: me.id, name: 'Ann', ...over });
    const ids = await addYears(count);
    for (const assetId of ids) {
      await addFace(database, { ownerId: me.id, personId: id, assetId });
    }
    return { id, ids };
  }

  test('is remembered through the years, for three days, and not again within months', async () => {
    const { id, ids } = await addNamed();
    await addYears();
    const day = findTurn('person', id);
    await generate(me.id, start(day));
    const [memory, ...others] = await list();
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
    for (let n = 1; n <= 80; n += 4) await generate(me.id, start(addDays(day, n)));
    expect(await list()).toEqual([memory!]);
    const { body } = await call(
      testApp(database, { now: () => start(day) }),
      `GET /memories/${memory!['id']}`,
      { as: me },
    );
    expect(body).toMatchObject({ type: 'person', data: {} });
  });

  test('is remembered on the birthday', async () => {
    const { id, ids } = await addNamed({ birthDate: '1990-11-22' });
    await generate();
    const rows = await list();
    expect(rows.map(({ key }) => key)).toContain(`birthday 2026-11-22 ${id}`);
    expect(rows.find(({ key }) => key.startsWith('birthday'))).toMatchObject({
      type: 'person',
      personId: id,
      subject: { birthday: true },
      showAt: '2026-11-22 00:00:00',
      hideAt: '2026-11-22 23:59:59.999',
      ids,
    });
    await generate();
    expect(await list()).toEqual(rows);
  });

  test('born on 29 February has a birthday on the 28th', async () => {
    await addNamed({ birthDate: '1992-02-29' });
    await generate(me.id, new Date('2026-02-28T03:00:00Z'));
    expect((await list()).filter(({ subject }) => subject.birthday)).toHaveLength(1);
  });

  const none: Readonly<Record<string, () => Promise<{ id: string }>>> = {
    'without a name': () => addNamed({ name: '' }),
    'who is hidden': () => addNamed({ isHidden: true }),
    'with four pictures': () => addNamed({}, 4),
    'with a rule': async () => {
      const person = await addNamed();
      await database.sql`insert into memory_rule (owner_id, kind, person_id)
        values (${me.id}, 'person', ${person.id})`;
      return person;
    },
    'with a rule about people': async () => {
      await database.sql`insert into memory_rule (owner_id, kind, memory_type)
        values (${me.id}, 'memory-type', 'person')`;
      return addNamed();
    },
    'who is on Locked pictures only': async () => {
      const person = await addNamed();
      await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
      return person;
    },
    'of another account': async () => {
      const mine = me;
      me = await seed(database).user();
      const person = await addNamed();
      me = mine;
      return person;
    },
  };
  for (const [words, make] of Object.entries(none)) {
    test(`${words} is not remembered`, async () => {
      const { id } = await make();
      const day = findTurn('person', id);
      await database.sql`update person set birth_date = ${`1990-${day.slice(5)}`} where id = ${id}`;
      await generate(me.id, start(day));
      expect(await list()).toEqual([]);
    });
  }
});

describe('a pet', () => {
  async function addPet(values: { name?: string; isConfirmed?: boolean }) {
    const { name = '', isConfirmed = false } = values;
    const [pet] = await database.sql`insert into pet (owner_id, species, name, is_confirmed)
      values (${me.id}, 'dog', ${name}, ${isConfirmed}) returning id`;
    const id = pet!['id'] as string;
    const ids = await addYears();
    for (const assetId of ids) {
      await database.sql`
        insert into pet_observation (pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
        values (${id}, ${assetId}, 'dog', 0, 0, 1, 1, 0.9, 'm')`;
    }
    await generate(me.id, start(findTurn('pet', id)));
    return { id, ids };
  }
  test.each([{ name: 'Rex' }, { isConfirmed: true }])('%p is remembered', async (values) => {
    const { id, ids } = await addPet(values);
    expect(await list()).toMatchObject([{ type: 'pet', petId: id, personId: null, ids }]);
  });
  test('that nobody has named or confirmed is not', async () => {
    await addPet({});
    expect(await list()).toEqual([]);
  });
});

describe('a journey', () => {
  const BERLIN = { latitude: 52.52, longitude: 13.41, city: 'Berlin', country: 'Germany' };
  const ROME = { latitude: 41.9, longitude: 12.5, city: 'Rome', state: 'Lazio', country: 'Italy' };
  async function travel(): Promise<string[]> {
    for (let n = 0; n < 12; n++) await add(addDays('2023-04-20', n), { exif: BERLIN });
    const ids = [];
    for (let n = 0; n < 4; n++) {
      for (let k = 0; k < 3; k++) ids.push(await add(addDays('2023-05-03', n), { exif: ROME }));
    }
    await add('2023-05-06', { exif: BERLIN, isFavorite: true });
    return ids;
  }

  test('is remembered with its place, without what was taken at home', async () => {
    const ids = await travel();
    const day = findTurn('place', '2023-05-03');
    await generate(me.id, start(day));
    const [memory, ...others] = (await list()).filter(({ type }) => type === 'place');
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
    await database.sql`insert into memory_rule (owner_id, kind, memory_type)
      values (${me.id}, 'memory-type', 'place')`;
    await generate(me.id, start(findTurn('place', '2023-05-03')));
    expect(await list()).toEqual([]);
  });
});
