import { expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { type Changes, listShownChanges } from '../../../test/support/fresh.ts';
import { call, seed } from '../../../test/support/harness.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';

const { database, app } = await useApp();

test('the list of people is never older than the last change of anything that it shows', async () => {
  const me = await seed(database).user();
  const stranger = await seed(database).user();
  const ownerId = me.id;
  const faces = (count: number) => Array.from({ length: count }, (_, n) => faceVector(n));
  const ann = await addPerson(database, { ownerId, name: 'Ann' }, faces(3));
  const bob = await addPerson(database, { ownerId, name: 'Bob' }, faces(2));
  const unnamed = await addPerson(database, { ownerId }, faces(2));
  const foreign = await addPerson(database, { ownerId: stranger.id, name: 'Foreign' }, faces(1));
  const assetId = await seed(database).asset({ ownerId });
  const ofBob = `id in (select asset_id from face where person_id = '${bob.id}')`;
  const put = (body: object) => () =>
    call(app, `PUT /people/${ann.id}`, { as: me, body }).then(({ status }) => {
      expect(status).toBe(200);
    });
  const prefer = (preferences: object) =>
    `update app_user set preferences = '${JSON.stringify(preferences)}' where id = '${me.id}'`;
  const rules = [{ id: crypto.randomUUID(), kind: 'person', targetId: ann.id }];

  const shown: Changes = {
    'a face of an unnamed person': () =>
      addFace(database, { ownerId, assetId, personId: unnamed.id }),
    'a name': put({ name: 'Anna' }),
    'a birthday': put({ birthDate: '2000-01-02' }),
    'a color': put({ color: '#aabbcc' }),
    'a favorite': put({ isFavorite: true }),
    'a hidden person': put({ isHidden: true }),
    'a person shown again': put({ isHidden: false }),
    'a thumbnail': `update person set thumbnail_tag = 'x', thumbnail_face_id =
      (select id from face where person_id = '${bob.id}' limit 1) where id = '${bob.id}'`,
    'a hidden face': `update face set is_hidden = true where person_id = '${unnamed.id}'`,
    'faces shown again': `update face set is_hidden = false where person_id = '${unnamed.id}'`,
    'fewer faces wanted': prefer({ people: { minimumFaces: 9 } }),
    'a content rule': prefer({ lockedContent: { filterEnabled: true, rules } }),
    'no rule': prefer({}),
    'trashed items': `update asset set trashed_at = now() where ${ofBob}`,
    'restored items': `update asset set trashed_at = null where ${ofBob}`,
    'locked items': `update asset set locked_at = now() where ${ofBob}`,
    'unlocked items': `update asset set locked_at = null where ${ofBob}`,
    'hidden items': `update asset set visibility = 'hidden' where ${ofBob}`,
    'items on the Timeline': `update asset set visibility = 'timeline' where ${ofBob}`,
    'faces of another': `update face set person_id = '${ann.id}' where person_id = '${unnamed.id}'`,
    'a merge': () => call(app, `POST /people/${ann.id}/merge`, { as: me, body: { ids: [bob.id] } }),
    'a new person': () => call(app, 'POST /people', { as: me, body: { name: 'Cleo' } }),
    'a deleted person': () => call(app, `DELETE /people/${ann.id}`, { as: me }),
  };
  const found = await listShownChanges(database, app, {
    route: 'GET /people',
    as: me,
    changes: {
      ...shown,
      'a deleted item without faces': () => deleteForGood(database, [assetId]),
      'a person of a stranger': `update person set name = 'Mine?' where id = '${foreign.id}'`,
    },
  });
  expect(found).toEqual(Object.keys(shown));
});
