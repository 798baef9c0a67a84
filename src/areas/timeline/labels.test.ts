import { expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createCtx, createSession } from '../../../test/support/harness.ts';
import {
  addAsset,
  ASSETS,
  compareWithRecount,
  createLabelledLibrary,
  DAYS,
  fold,
  type LabelledLibrary,
  LABELS,
  listMisplacedLinks,
  type Scope,
  SCOPES,
} from '../../../test/support/labelled-library.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { addAssets, removeAssets } from '../albums/domain.ts';
import { mergePeople } from '../people/corrections/merge.domain.ts';
import { deleteTag, tagAssets, untagAssets, updateTag, upsertTags } from '../tags/domain.ts';

const database = await useDatabase();

const PATHS = ['a', 'a/b', 'c'];

const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite',
} as const;

const some = fc.array(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: ASSETS });
const path = fc.constantFrom(...PATHS);
const who = fc.nat({ max: 1 });
const STEPS = {
  tag: fc.record({ kind: fc.constant('tag' as const), path, some }),
  untag: fc.record({ kind: fc.constant('untag' as const), path, some }),
  /** One loses the tag to another, so that the number stays. */
  pass: fc.record({ kind: fc.constant('pass' as const), path, some }),
  moveTag: fc.record({ kind: fc.constant('moveTag' as const), path, to: fc.option(path) }),
  deleteTag: fc.record({ kind: fc.constant('deleteTag' as const), path }),
  face: fc.record({ kind: fc.constant('face' as const), who, some }),
  swapFaces: fc.record({ kind: fc.constant('swapFaces' as const), some }),
  hideFaces: fc.record({ kind: fc.constant('hideFaces' as const), some }),
  deleteFaces: fc.record({ kind: fc.constant('deleteFaces' as const), some }),
  merge: fc.record({ kind: fc.constant('merge' as const), who }),
  put: fc.record({ kind: fc.constant('put' as const), some }),
  take: fc.record({ kind: fc.constant('take' as const), some }),
  change: fc.record({
    kind: fc.constant('change' as const),
    some,
    change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  }),
  redate: fc.record({ kind: fc.constant('redate' as const), some, day: fc.nat({ max: 2 }) }),
  delete: fc.record({ kind: fc.constant('delete' as const), some }),
  fold: fc.record({ kind: fc.constant('fold' as const) }),
};
const WEIGHTS: Partial<Record<keyof typeof STEPS, number>> = {
  tag: 4,
  face: 4,
  change: 5,
  redate: 3,
};
const step = fc.oneof(
  ...Object.entries(STEPS).map(([kind, arbitrary]) => ({
    weight: WEIGHTS[kind as keyof typeof STEPS] ?? 1,
    arbitrary: arbitrary as fc.Arbitrary<Step>,
  })),
);
type Step = {
  [K in keyof typeof STEPS]: (typeof STEPS)[K] extends fc.Arbitrary<infer S> ? S : never;
}[keyof typeof STEPS];

async function take(home: LabelledLibrary, item: Step): Promise<void> {
  const { ctx, id: ownerId, people } = home;
  const numbers = 'some' in item ? [...new Set(item.some)] : [];
  const chosen = numbers.map((n) => home.assets[n]!);
  const run = (statement: string) => database.sql.unsafe(statement, [chosen]);
  if (item.kind === 'tag') {
    const [tag] = await upsertTags(ctx, [item.path]);
    await tagAssets(ctx, tag!.id, chosen);
  }
  if (item.kind === 'face') {
    for (const assetId of chosen) {
      await addFace(database, { ownerId, assetId, personId: people[item.who]! });
    }
  }
  if (item.kind === 'swapFaces') {
    await database.sql`
      update face set person_id = case person_id when ${people[0]!} then ${people[1]!}::uuid
        else ${people[0]!}::uuid end where asset_id = any(${chosen}::uuid[])`;
  }
  if (item.kind === 'hideFaces') {
    await run('update face set is_hidden = not is_hidden where asset_id = any($1::uuid[])');
  }
  if (item.kind === 'deleteFaces') await run('delete from face where asset_id = any($1::uuid[])');
  if (item.kind === 'merge') {
    // With the PIN: a person who is only on locked items cannot be merged otherwise.
    const unlocked = createCtx(database, createSession(ownerId, { unlocked: true }));
    await mergePeople(unlocked, [people[item.who]!, people[1 - item.who]!]);
    home.people = [people[item.who]!, (await addPerson(database, { ownerId })).id];
  }
  if (item.kind === 'put') await addAssets(ctx, home.albumId, chosen);
  if (item.kind === 'take') await removeAssets(ctx, home.albumId, chosen);
  if (item.kind === 'change') {
    await run(`update asset set ${CHANGES[item.change]} where id = any($1::uuid[])`);
  }
  if (item.kind === 'redate') {
    await run(`update asset set local_taken_at = '${DAYS[item.day]}',
      taken_at = timestamp '${DAYS[item.day]}' at time zone 'utc' where id = any($1::uuid[])`);
  }
  if (item.kind === 'delete') {
    await deleteForGood(database, chosen);
    for (const n of numbers) home.assets[n] = await addAsset(database, ownerId, n);
  }
  if (item.kind === 'fold') await fold(home);
  if ('path' in item && item.kind !== 'tag') await takeTag(home, item, chosen);
}

async function takeTag(
  { id: ownerId }: LabelledLibrary,
  item: Extract<Step, { kind: 'untag' | 'pass' | 'moveTag' | 'deleteTag' }>,
  [first, ...rest]: string[],
): Promise<void> {
  const find = async (value: string) =>
    (await database.sql`select id from tag where owner_id = ${ownerId} and value = ${value}`)[0]?.[
      'id'
    ] as string | undefined;
  const tagId = await find(item.path);
  if (!tagId) return;
  // With the PIN: a tag that is only on Locked items is unknown otherwise.
  const ctx = createCtx(database, createSession(ownerId, { unlocked: true }));
  if (item.kind === 'untag') await untagAssets(ctx, tagId, [first!, ...rest]);
  if (item.kind === 'pass') {
    await untagAssets(ctx, tagId, [first!]);
    await tagAssets(ctx, tagId, rest.slice(0, 1));
  }
  if (item.kind === 'deleteTag') await deleteTag(ctx, tagId);
  if (item.kind === 'moveTag') {
    const parentId = item.to === null ? null : await find(item.to);
    // A name that is taken, or a way below itself, is refused and changes nothing.
    if (parentId !== undefined) await updateTag(ctx, tagId, { parentId }).catch(() => {});
  }
}

test('months and pages of tags, people and albums equal a recount after any sequence of changes', async () => {
  let largest = 0;
  const looks = fc.array(
    fc.tuple(fc.constantFrom(...LABELS), fc.constantFrom(...(Object.keys(SCOPES) as Scope[]))),
    { maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step, looks }), { minLength: 10, maxLength: 30 }),
      async (steps) => {
        const home = await createLabelledLibrary(database);
        for (const { step, looks } of steps) {
          await take(home, step);
          for (const [label, scope] of looks) await compareWithRecount(home, label, scope);
        }
        for (const label of LABELS) {
          for (const scope of Object.keys(SCOPES) as Scope[]) {
            largest = Math.max(largest, await compareWithRecount(home, label, scope));
          }
        }
        expect(await listMisplacedLinks(database)).toHaveLength(0);
      },
    ),
    { numRuns: effort({ quick: 3, full: 15 }) },
  );
  // Not of nothing but empty months.
  // Few runs may not come that far.
  expect(largest).toBeGreaterThan(effort({ quick: 0, full: 2 }));
}, 300_000);
