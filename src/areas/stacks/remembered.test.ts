import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { type Changes, listShownChanges } from '../../../test/support/fresh.ts';
import { call, createCtx, createSession, seed } from '../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { createStack, deleteStacks, removeFromStack, updateStack } from './domain.ts';
import { renderStacks } from './listing.domain.ts';

const { database, app } = await useApp();

const toCtx = (id: string, unlocked = false) =>
  createCtx(database, createSession(id, { unlocked }));

const photos = (ownerId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      seed(database).asset({
        ownerId,
        takenAt: new Date(Date.UTC(2026, 0, 1 + n)),
        exif: { city: 'Porto', latitude: 41, longitude: -8 },
      }),
    ),
  );

test('the list of stacks is never older than the last change of anything that it shows', async () => {
  const [me, partner] = [await seed(database).user(), await seed(database).user()];
  const [mine, theirs] = [await photos(me.id, 6), await photos(partner.id, 3)];
  const [first, second, third, fourth] = mine as [string, string, string, string];
  const ctx = toCtx(me.id, true);
  const stack = await createStack(ctx, [first, second, third]);
  const foreign = await createStack(toCtx(partner.id), theirs);
  await database.sql`insert into partner (sharer_id, viewer_id, in_timeline)
    values (${partner.id}, ${me.id}, true)`;
  const person = await addPerson(database, { ownerId: me.id, name: 'Ann' });

  const change = (values: string, id = second) => `update asset set ${values} where id = '${id}'`;
  const exif = (values: string, id = second) =>
    `update asset_exif set ${values} where asset_id = '${id}'`;
  const prefer = (preferences: object) =>
    `update app_user set preferences = '${JSON.stringify(preferences)}' where id = '${me.id}'`;
  const rules = [{ id: crypto.randomUUID(), kind: 'date', date: '01-02' }];
  const shown: Changes = {
    'another stack': () => createStack(ctx, mine.slice(3)),
    'another primary': () => updateStack(ctx, stack.id, { primaryAssetId: third }),
    'a favorite': change('is_favorite = true'),
    'a file name': change(`file_name = 'b.jpg'`),
    'a time of change': change(`updated_at = now() + interval '1 hour'`),
    'a preview': change(`thumbhash = '\\x01', width = 3, height = 4`),
    'a duration': change('duration_ms = 5'),
    'another order': change(`local_taken_at = '2030-01-01', taken_at = '2030-01-01'`, first),
    'a video part': change(`live_video_id = '${fourth}'`),
    'a description': exif(`description = 'At the river'`),
    'a rating': exif('rating = 3'),
    'a place': exif(`city = 'Braga', latitude = 42`),
    'a camera': exif(`make = 'Canon', iso = 100, f_number = 1.8, orientation = '6'`),
    'a time zone': exif(`time_zone = 'Europe/Berlin', date_time_original = now()`),
    'an edit': `insert into asset_edit values ('${second}', 0, 'rotate', '{"angle": 90}')`,
    'no edit': 'delete from asset_edit',
    'a content rule': prefer({ lockedContent: { filterEnabled: true, rules } }),
    'no rule': prefer({}),
    'an archived member': change(`visibility = 'archive'`),
    'a listed member': change(`visibility = 'timeline'`),
    'a trashed member': change('trashed_at = now()'),
    'a restored member': change('trashed_at = null'),
    'a trashed primary': change('trashed_at = now()', third),
    'a restored primary': change('trashed_at = null', third),
    'a locked member': change('locked_at = now()'),
    'an unlocked member': change('locked_at = null'),
    'a member that left': () => removeFromStack(ctx, stack.id, second),
    'a deleted asset': `delete from asset where id = '${fourth}'`,
    'a dissolved stack': () => deleteStacks(ctx, [stack.id]),
  };
  const found = await listShownChanges(database, app, {
    route: 'GET /stacks',
    as: me,
    changes: {
      ...shown,
      // Listed members have no people and no tags.
      'a person': () => addFace(database, { ownerId: me.id, assetId: first, personId: person.id }),
      'a tag': `with made as (
          insert into tag (owner_id, value) values ('${me.id}', 'a') returning id)
        insert into tag_asset (tag_id, asset_id) select id, '${first}' from made`,
      'a stack of a partner': () =>
        updateStack(toCtx(partner.id), foreign.id, { primaryAssetId: theirs[1]! }),
      'an asset of a partner': change('is_favorite = true', theirs[0]),
    },
  });
  expect(found).toEqual(Object.keys(shown));
  expect((await call(app, 'GET /stacks', { as: partner })).body).toMatchObject([
    { id: foreign.id },
  ]);
});

test('what was listed with the PIN is not remembered for a session without it', async () => {
  const { id } = await seed(database).user();
  const [open, locked] = [await photos(id, 2), await photos(id, 2)];
  await database.sql`update asset set locked_at = now() where id = any(${locked})`;
  const stacks = [await createStack(toCtx(id), open), await createStack(toCtx(id, true), locked)];
  const list = async (unlocked: boolean) => {
    const bytes = (await renderStacks(toCtx(id, unlocked))) as Uint8Array;
    return JSON.parse(new TextDecoder().decode(bytes)).map((stack: { id: string }) => stack.id);
  };
  for (const _ of [1, 2]) {
    expect(await list(true)).toEqual([stacks[1]!.id, stacks[0]!.id]);
    expect(await list(false)).toEqual([stacks[0]!.id]);
  }
});
