import { expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { type Changes, listShownChanges } from '../../../../test/support/fresh.ts';
import { call, seed } from '../../../../test/support/harness.ts';

const { database, app } = await useApp();

test('the list of cities is never older than the last change of anything that it shows', async () => {
  const [me, partner, stranger] = await Promise.all(
    Array.from({ length: 3 }, () => seed(database).user()),
  );
  const add = (owner: { id: string }, city: string) =>
    seed(database).asset({ ownerId: owner.id, exif: { city, latitude: 1, longitude: 2 } });
  const [mine, theirs, foreign] = await Promise.all([
    add(me!, 'Porto'),
    add(partner!, 'Braga'),
    add(stranger!, 'Nowhere'),
  ]);
  const change = (id: string, values: string) => `update asset set ${values} where id = '${id}'`;
  const exif = (id: string, values: string) =>
    `update asset_exif set ${values} where asset_id = '${id}'`;
  const prefer = (preferences: object) =>
    `update app_user set preferences = '${JSON.stringify(preferences)}' where id = '${me!.id}'`;
  const rules = [{ id: crypto.randomUUID(), kind: 'date', date: '01-01' }];
  const shown: Changes = {
    'a new city': () => add(me!, 'Lisbon'),
    'a description': exif(mine, `description = 'At the river'`),
    'a camera': exif(mine, `make = 'Canon', iso = 100, f_number = 1.8, orientation = '6'`),
    'a capture time': exif(mine, `date_time_original = now()`),
    'a rating': exif(mine, 'rating = 3'),
    'a favorite': change(mine, 'is_favorite = true'),
    'a file name': change(mine, `file_name = 'b.jpg'`),
    'a time of change': change(mine, `updated_at = now() + interval '1 hour'`),
    'a date': change(mine, `local_taken_at = '2020-01-01', taken_at = '2020-01-01'`),
    'a preview': change(mine, `thumbhash = '\\x01', width = 3, height = 4`),
    'an edit': `insert into asset_edit values ('${mine}', 0, 'rotate', '{"angle": 90}')`,
    'no edit': 'delete from asset_edit',
    'another city': exif(mine, `city = 'Vigo'`),
    'a partner': `insert into partner (sharer_id, viewer_id, in_timeline)
      values ('${partner!.id}', '${me!.id}', true)`,
    'a description of a partner': exif(theirs, `description = 'At home'`),
    'an archived item of a partner': change(theirs, `visibility = 'archive'`),
    'an item of a partner again': change(theirs, `visibility = 'timeline'`),
    'hidden places of a partner': 'update partner set hides_places = true',
    'places of a partner': 'update partner set hides_places = false',
    'a content rule': prefer({ lockedContent: { filterEnabled: true, rules } }),
    'no rule': prefer({}),
    'no partner': 'delete from partner',
    'a trashed item': change(mine, 'trashed_at = now()'),
    'a restored item': change(mine, 'trashed_at = null'),
    'a locked item': change(mine, 'locked_at = now()'),
    'an unlocked item': change(mine, 'locked_at = null'),
    'a deleted item': `delete from asset where id = '${mine}'`,
  };
  const found = await listShownChanges(database, app, {
    route: 'GET /search/cities',
    as: me!,
    changes: {
      ...shown,
      'items of a former partner': exif(theirs, `description = 'Away'`),
      'a city of a stranger': exif(foreign, `city = 'Here'`),
    },
  });
  expect(found).toEqual(Object.keys(shown));
  expect((await call(app, 'GET /search/cities', { as: stranger! })).body).toHaveLength(1);
});
