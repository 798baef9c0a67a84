import { expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';

// People and tags are counted as a plain recount does, over items in every state, with a partner in the Timeline.

const { database, app, house } = await useHousehold();
const { owner, partner, ids } = house;

const people: string[] = [];
for (const name of ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve'])
  people.push((await addPerson(database, { ownerId: owner.id, name })).id);
const theirs = (await addPerson(database, { ownerId: partner.id, name: 'Ann' })).id;
for (const [n, assetId] of Object.values(ids).entries()) {
  const isTheirs = assetId === ids.ofPartner || assetId === ids.archivedOfPartner;
  const ownerId = isTheirs ? partner.id : owner.id;
  const add = (personId: string | undefined, isHidden = false) =>
    addFace(database, { ownerId, assetId, isHidden, ...(personId && { personId }) });
  await add(isTheirs ? theirs : people[0]);
  await add(undefined);
  if (isTheirs) continue;
  await add(people[0]);
  await add(people[1], n % 2 === 0);
  if (n % 3 === 0) for (const person of people.slice(2)) await add(person);
}

/** For each person a tag with the same items; the one of the first has that of the second below it. */
const tagByPerson = new Map<string, string>();
for (const [personId, { ownerId, value }] of new Map([
  ...people.map(
    (id, n) => [id, { ownerId: owner.id, value: n === 1 ? '0/1' : String(n) }] as const,
  ),
  [theirs, { ownerId: partner.id, value: '0' }] as const,
])) {
  const parentId = value === '0/1' ? (tagByPerson.get(people[0]!) ?? null) : null;
  const [tag] = await database.sql<{ id: string }[]>`
    insert into tag (owner_id, value, parent_id) values (${ownerId}, ${value}, ${parentId}) returning id`;
  tagByPerson.set(personId, tag!.id);
  await database.sql`insert into tag_asset (tag_id, asset_id)
    select distinct ${tag!.id}::uuid, asset_id from face where person_id = ${personId} and not is_hidden`;
}
const toTags = ({ all, any, none }: Wanted): Wanted => {
  const toTag = (id: string) => tagByPerson.get(id)!;
  return {
    ...(all && { all: all.map(toTag) }),
    ...(any && { any: any.map(toTag) }),
    ...(none && { none: none.map(toTag) }),
  };
};

type Wanted = { readonly all?: string[]; readonly any?: string[]; readonly none?: string[] };

/** Every item of the Timelines that the account sees, with the people that its own faces show. */
async function listShown(user: TestUser, sharers: readonly string[]) {
  return database.sql<{ id: string; people: string[] }[]>`
    select asset.id, array(
        select person_id::text from face join person on person.id = person_id
        where asset_id = asset.id and not face.is_hidden and person.owner_id = ${user.id}) as people
    from asset where owner_id = any(${[user.id, ...sharers]}::uuid[]) and visibility = 'timeline'
      and locked_at is null and trashed_at is null`;
}

const isWanted =
  ({ all = [], any, none = [] }: Wanted) =>
  (shown: { readonly people: readonly string[] }) =>
    all.every((id) => shown.people.includes(id)) &&
    (!any || any.some((id) => shown.people.includes(id))) &&
    !none.some((id) => shown.people.includes(id));

const FILTERS: readonly Wanted[] = [
  ...people.map((id) => ({ all: [id] })),
  { all: [theirs] },
  { all: people.slice(0, 2) },
  { all: people },
  { all: [...people, theirs] },
  { any: [people[1]!, theirs] },
  { any: [theirs] },
  { any: [] },
  { none: [people[1]!] },
  { none: [theirs] },
  { all: [people[0]!], none: people.slice(1) },
];

const ask = async (route: string, body: object, caller: Caller) =>
  (await call(app, `POST /search/${route}`, { ...caller, body })).body;

/** Asks each search for the items, and for their number. */
async function count(filterBy: object, caller: Caller) {
  const filter = { filter: filterBy };
  const page = await ask('metadata', { ...filter, size: 100, visibility: 'timeline' }, caller);
  const random = await ask('random', { ...filter, size: 100, visibility: 'timeline' }, caller);
  return {
    listed: page.assets.items.map((item: { id: string }) => item.id).toSorted(),
    random: random.map((item: { id: string }) => item.id).toSorted(),
    statistics: (await ask('statistics', filter, caller)).total,
    histogram: (await ask('histogram', filter, caller)).total,
    facets: (await ask('facets', filter, caller)).total,
  };
}

async function compareAll(user: TestUser, sharers: readonly string[]): Promise<number[]> {
  const caller = { session: user };
  const shown = await listShown(user, sharers);
  const totals: number[] = [];
  for (const personIds of FILTERS) {
    const listed = shown
      .filter(isWanted(personIds))
      .map(({ id }) => id)
      .toSorted();
    const { length } = listed;
    const counts = { statistics: length, histogram: length, facets: length };
    const expected = { listed, random: listed, ...counts };
    for (const by of [{ personIds }, { tagIds: toTags(personIds) }])
      expect({ by, ...(await count(by, caller)) }).toEqual({ by, ...expected });
    totals.push(length);
  }
  return totals;
}

test('searches for people and tags find and count what a recount does', async () => {
  const totals = await compareAll(owner, [partner.id]);
  expect(totals.filter((total) => total > 0).length).toBeGreaterThan(6);
  await unlock(database, owner);
  await compareAll(owner, [partner.id]);
  // The people of the owner are nobody's else, and those of partners not the owner's.
  expect((await compareAll(partner, []))[FILTERS.findIndex(({ all }) => all?.[0] === theirs)]).toBe(
    1,
  );
  for (const user of [house.viewer, house.stranger]) await compareAll(user, []);
});

test('guests are not told who is on an item', async () => {
  const albumIds = { any: [house.albumId] };
  const list = async (key: string, filter: object) => {
    const route = `POST /search/metadata?slug=${key}` as 'POST /search/metadata';
    const { status, body } = await call(app, route, { body: { filter } });
    expect(status).toBe(200);
    return body.assets.items;
  };
  expect(await list('album', { albumIds })).not.toEqual([]);
  for (const key of ['pictures', 'album'])
    for (const personIds of [{ all: [people[0]] }, { any: [people[0]] }])
      expect(await list(key, { albumIds, personIds })).toEqual([]);
});
