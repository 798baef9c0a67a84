import { beforeAll, describe, expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { createCtx, seed, createSession } from '../../test/support/harness.ts';
import { addFace, addPerson } from '../../test/support/people.ts';
import { albumMembers, type Suppressed, visibleAssets } from './scope.ts';
import type { ContentRule } from './suppression.ts';

// One item for each way a rule can match, and one that none matches.

const database = await useDatabase();
const ids: Record<string, string> = {};
const targets: Record<string, string> = {};
let me: string;
let other: string;

beforeAll(async () => {
  const { sql } = database;
  [me, other] = [(await seed(database).user()).id, (await seed(database).user()).id];
  const add = async (name: string, over: object = {}) =>
    (ids[name] = await seed(database).asset({ ownerId: me, ...over }));
  await add('plain');
  await add('dated', { takenAt: new Date('2019-12-24T20:00:00Z') });
  await add('dayAfter', { takenAt: new Date('2019-12-25T20:00:00Z') });
  // The day where it was taken, not the day in UTC.
  await add('abroad', {
    takenAt: new Date('2020-12-25T03:00:00Z'),
    localTakenAt: '2020-12-24T19:00:00',
  });

  const person = async (name: string, ownerId = me) =>
    (targets[name] = (await addPerson(database, { ownerId, name })).id);
  const seen = async (name: string, personId: string) =>
    addFace(database, { ownerId: me, personId, assetId: await add(name) });
  await seen('person', await person('person'));
  // A rule follows a person who was merged into another.
  await person('merged');
  await seen('mergedInto', await person('survivor'));
  await sql`update person set merged_into = ${targets['survivor']!} where id = ${targets['merged']!}`;
  await seen('ofForeignPerson', await person('foreignPerson', other));

  const tag = async (name: string, ownerId: string, parentId: string | null = null) => {
    const [row] = await sql`insert into tag (owner_id, value, parent_id)
      values (${ownerId}, ${name}, ${parentId}) returning id`;
    return (targets[name] = row!['id'] as string);
  };
  const tagged = async (name: string, tagId: string) =>
    sql`insert into tag_asset values (${tagId}, ${await add(name)})`;
  const top = await tag('tag', me);
  await tagged('tagged', top);
  await tagged('taggedBelow', await tag('tag/below', me, top));
  await tagged('ofForeignTag', await tag('foreignTag', other));

  const album = async (name: string, ownerId: string) => {
    const [row] = await sql`insert into album (owner_id, name) values (${ownerId}, ${name})
      returning id`;
    return (targets[name] = row!['id'] as string);
  };
  const collected = async (name: string, albumId: string) =>
    sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${await add(name)})`;
  await collected('inAlbum', await album('album', me));
  const joined = await album('joined', other);
  await sql`insert into album_user (album_id, user_id, role) values (${joined}, ${me}, 'viewer')`;
  await collected('inJoinedAlbum', joined);
  await collected('inForeignAlbum', await album('foreignAlbum', other));

  const pet = async (name: string, ownerId: string) => {
    const [row] = await sql`insert into pet (owner_id, name, species)
      values (${ownerId}, '', 'cat') returning id`;
    targets[name] = row!['id'] as string;
    await sql`insert into pet_observation
        (id, pet_id, asset_id, species, x1, y1, x2, y2, score, model_id)
      values (gen_random_uuid(), ${targets[name]!}, ${await add(`${name}Seen`)}, 'cat', 0, 0, 1, 1, 1, 'm')`;
  };
  await pet('pet', me);
  await pet('foreignPet', other);
});

const rule = (kind: ContentRule['kind'], target: string): ContentRule =>
  kind === 'date' ? { kind, date: target } : { kind, targetId: targets[target]! };

const CASES: readonly [string, ContentRule['kind'], string, readonly string[]][] = [
  ['a day of any year', 'date', '12-24', ['dated', 'abroad']],
  ['a person', 'person', 'person', ['person']],
  ['a person who was merged into another', 'person', 'merged', ['mergedInto']],
  ['a person of somebody else', 'person', 'foreignPerson', []],
  ['a tag and what is below it', 'tag', 'tag', ['tagged', 'taggedBelow']],
  ['a tag of somebody else', 'tag', 'foreignTag', []],
  ['an album', 'album', 'album', ['inAlbum']],
  ['an album that somebody shares', 'album', 'joined', ['inJoinedAlbum']],
  ['an album that cannot be opened', 'album', 'foreignAlbum', []],
  ['a pet', 'pet', 'pet', ['petSeen']],
  ['a pet of somebody else', 'pet', 'foreignPet', []],
];

async function listed(contentRules: readonly ContentRule[], suppressed: Suppressed) {
  const { db, session } = createCtx(database, createSession(me, { contentRules }));
  const asset = visibleAssets(db, session, 'timeline', { suppressed });
  const found = new Set((await db.select({ id: asset.id }).from(asset)).map(({ id }) => id));
  return Object.keys(ids).filter((name) => found.has(ids[name]!));
}
const without = (names: readonly string[]) =>
  Object.keys(ids).filter((name) => !names.includes(name));

describe('a rule of', () => {
  for (const [what, kind, target, matched] of CASES) {
    test(`${what} leaves out ${matched.length === 0 ? 'nothing' : matched.join(', ')}`, async () => {
      const rules = [rule(kind, target)];
      expect(await listed(rules, 'out')).toEqual(without(matched));
      expect(await listed(rules, 'only')).toEqual([...matched].toSorted(inOrder));
      expect(await listed(rules, 'in')).toEqual(Object.keys(ids));
    });
  }
  const inOrder = (a: string, b: string) =>
    Object.keys(ids).indexOf(a) - Object.keys(ids).indexOf(b);
});

test('many rules leave out what any of them matches', async () => {
  const rules = CASES.map(([, kind, target]) => rule(kind, target));
  const matched = CASES.flatMap(([, , , names]) => names);
  expect(await listed(rules, 'out')).toEqual(without(matched));
  expect((await listed(rules, 'only')).toSorted()).toEqual(matched.toSorted());
});

test('no rules leave out nothing, and are no part of any statement', async () => {
  expect(await listed([], 'out')).toEqual(Object.keys(ids));
  expect(await listed([], 'only')).toEqual([]);
  const { db, session } = createCtx(database, createSession(me));
  const texts = (suppressed: Suppressed) => [
    db
      .select()
      .from(visibleAssets(db, session, 'timeline', { suppressed }))
      .toSQL(),
    db
      .select()
      .from(albumMembers(db, session, { suppressed }))
      .toSQL(),
  ];
  expect(texts('out')).toEqual(texts('in'));
});

test('in an album, too, and not for others who look at it', async () => {
  const rules = [rule('album', 'joined')];
  const shown = async (userId: string, contentRules: readonly ContentRule[]) => {
    const { db, session } = createCtx(database, createSession(userId, { contentRules }));
    const asset = albumMembers(db, session);
    const rows = await db.select({ id: asset.id, albumId: asset.albumId }).from(asset);
    return rows.filter(({ albumId }) => albumId === targets['joined']).map(({ id }) => id);
  };
  expect(await shown(me, rules)).toEqual([]);
  expect(await shown(other, [])).toEqual([ids['inJoinedAlbum']!]);
});
