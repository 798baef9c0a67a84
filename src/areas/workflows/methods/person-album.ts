import { Type } from 'typebox';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, invalidField } from '../../../core/errors.ts';
import { addToAlbums, findOrCreateSharedAlbum } from '../../albums/index.ts';
import { findPeopleById } from '../../people/index.ts';
import { listUsers } from '../../users/index.ts';
import { defineAction, Ids, OWN_PLUGIN } from './define.ts';

export const shareToPersonAlbum = defineAction({
  plugin: OWN_PLUGIN,
  name: 'shareToPersonAlbum',
  title: 'Share in an album of the person',
  description:
    'Add the item to an album with the name of the person, which is created for the accounts to view',
  needs: { groups: ['people'], tasks: ['faces'] },
  config: Type.Object({
    personIds: Ids('People', 'People to look for; each has an album', 'PersonId'),
    userIds: Ids('Accounts', 'Accounts that may view the albums', 'UserId'),
  }),
  async checkAccess(ctx, { personIds, userIds }) {
    const people = await findPeopleById(ctx.db, requireUser(ctx.session), personIds);
    const others = await listOtherIds(ctx);
    requireAll('personIds', personIds, (id) => people.has(id));
    requireAll('userIds', userIds, (id) => others.has(id));
  },
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

/** Returns the other accounts that the owner may know of. */
async function listOtherIds(ctx: Ctx): Promise<Set<string>> {
  const { userId } = requireUser(ctx.session);
  const users = await listUsers(ctx);
  return new Set(users.map(({ id }) => id).filter((id) => id !== userId));
}

function requireAll(name: string, ids: readonly string[], isKnown: (id: string) => boolean): void {
  const index = ids.findIndex((id) => !isKnown(id));
  if (index !== -1) throw invalidField(`${name}.${index}`, 'Not found');
}
