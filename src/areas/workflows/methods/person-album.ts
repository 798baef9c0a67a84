import { Type } from 'typebox';
import { SHARED } from '../../../access/permissions.ts';
import { requireUser } from '../../../access/scope.ts';
import { badRequest } from '../../../core/errors.ts';
import { addToAlbums, findOrCreateSharedAlbum } from '../../albums/index.ts';
import { findPeopleById } from '../../people/index.ts';
import { defineAction, Ids, OWN_PLUGIN } from './define.ts';
import { listOtherIds } from './references.ts';

export const shareToPersonAlbum = defineAction({
  plugin: OWN_PLUGIN,
  name: 'shareToPersonAlbum',
  title: 'Share in an album of the person',
  description:
    'Add the item to an album with the name of the person, which is created for the accounts to view',
  needs: { groups: ['people'], tasks: ['faces'] },
  permissions: ['albumAsset.create', 'album.create', 'albumUser.create', ...SHARED],
  undoable: true,
  config: Type.Object({
    personIds: Ids('People', 'People to look for; each has an album', 'PersonId'),
    userIds: Ids('Accounts', 'Accounts that may view the albums', 'UserId'),
  }),
  async apply(ctx, facts, config) {
    const shown = config.personIds.filter((id) => facts.people.has(id));
    if (shown.length === 0) return;
    const known = await listOtherIds(ctx);
    const userIds = config.userIds.filter((id) => known.has(id));
    if (userIds.length === 0) throw badRequest('None of the accounts to share with exists');
    const people = await findPeopleById(ctx.db, requireUser(ctx.session), shown);
    // Sorted, so that concurrent runs lock names in one order.
    const names = [...new Set([...people.values()].map(({ name }) => name))].toSorted();
    if (names.includes('')) throw badRequest('The person has no name that an album could have');
    for (const name of names) {
      await addToAlbums(ctx, [await findOrCreateSharedAlbum(ctx, name, userIds)], facts.id);
    }
  },
});
