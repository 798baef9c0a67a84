import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { invite, joinGroup, readGroupId } from '../../../../test/support/cluster-groups.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addPerson, faceVector } from '../../../../test/support/people.ts';

const { database, app } = await useApp({ now: () => clock });
let clock = NOW;

const user = () => seed(database).user();
const getFaces = async (personId: string) => {
  const [row] = await database.sql`
    select count(*)::int as faces from face where person_id = ${personId}`;
  return row!['faces'] as number;
};
const get = async (as: TestUser, id: string) => call(app, `GET /people/${id}`, { as });
/** Two people who look the same in all accounts. */
const pairFor = async (ownerId: string, name = '') => ({
  a: await addPerson(database, { ownerId }, [faceVector(0, 5)]),
  b: await addPerson(database, { ownerId, name }, [faceVector(3, 5)]),
});
const merge = (as: TestUser, ids: string[]) =>
  call(app, 'POST /people/merge', { as, body: { ids } });

describe('merging', () => {
  test('EP-014: keeps the first person, with the first name and birth date in order', async () => {
    const me = await user();
    const ownerId = me.id;
    const a = await addPerson(database, { ownerId }, [faceVector(0)]);
    const b = await addPerson(database, { ownerId, name: 'Ann', birthDate: '1990-01-01' }, [
      faceVector(1),
      faceVector(1),
    ]);
    const c = await addPerson(database, { ownerId, name: 'Cat', birthDate: '2000-01-01' });
    const unknown = crypto.randomUUID();
    const reply = await merge(me, [a.id, b.id, unknown, c.id, b.id, a.id]);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual([
      { id: b.id, success: true },
      { id: unknown, success: false, error: 'no_permission' },
      { id: c.id, success: true },
      { id: b.id, success: false, error: 'duplicate' },
      { id: a.id, success: false, error: 'duplicate' },
    ]);
    expect((await get(me, a.id)).body).toMatchObject({ name: 'Ann', birthDate: '1990-01-01' });
    expect((await get(me, b.id)).status).toBe(400);
    expect(await getFaces(a.id)).toBe(3);
    const listed = await call(app, 'GET /people', { as: me });
    expect(listed.body).toMatchObject({ total: 1, people: [{ id: a.id }] });
  });

  test('keeps the person in the path, who must not be among the others', async () => {
    const me = await user();
    const [a, b] = [
      await addPerson(database, { ownerId: me.id }),
      await addPerson(database, { ownerId: me.id }, [faceVector(1)]),
    ];
    const post = (ids: string[]) =>
      call(app, `POST /people/${a.id}/merge`, { as: me, body: { ids } });
    expect(await post([b.id, a.id])).toMatchObject({
      status: 400,
      body: { message: 'Cannot merge a person into themselves' },
    });
    expect(await post([])).toMatchObject({ status: 200, body: [] });
    expect((await get(me, b.id)).status).toBe(200);
    expect((await post([b.id])).body).toEqual([{ id: b.id, success: true }]);
    expect(await getFaces(a.id)).toBe(1);
  });

  test('refuses people of other accounts', async () => {
    const [me, stranger] = [await user(), await user()];
    const mine = await addPerson(database, { ownerId: me.id }, [faceVector(0)]);
    const theirs = await addPerson(database, { ownerId: stranger.id }, [faceVector(0)]);
    expect((await merge(stranger, [mine.id, theirs.id])).status).toBe(400);
    const reply = await merge(stranger, [theirs.id, mine.id]);
    expect(reply.body).toEqual([{ id: mine.id, success: false, error: 'no_permission' }]);
    expect(await getFaces(mine.id)).toBe(1);
    expect((await get(me, mine.id)).status).toBe(200);
  });

  test('EP-015: merges the same people of the cluster group, unless their names differ', async () => {
    const [me, same, named, outside] = [await user(), await user(), await user(), await user()];
    await joinGroup(app, me, same, named);
    const [mine, alike, other, far] = [
      await pairFor(me.id, 'Ann'),
      await pairFor(same.id),
      await pairFor(named.id, 'Bob'),
      await pairFor(outside.id),
    ];
    await merge(me, [mine.a.id, mine.b.id]);
    expect(await getFaces(mine.a.id)).toBe(2);
    expect(await getFaces(alike.a.id)).toBe(2);
    expect((await get(same, alike.a.id)).body.name).toBe('');
    for (const untouched of [other, far]) expect(await getFaces(untouched.b.id)).toBe(1);
    expect((await get(named, other.b.id)).body.name).toBe('Bob');
  });

  test('leaves the people of accounts alone that are only invited, have left, or were deleted', async () => {
    const [me, invited, left, gone, admin] = [
      await user(),
      await user(),
      await user(),
      await user(),
      await seed(database).user(['all'], { isAdmin: true }),
    ];
    await joinGroup(app, me, left, gone);
    await invite(app, me, invited);
    const groupId = await readGroupId(app, left);
    const reply = await call(app, `POST /cluster-groups/${groupId}/leave`, { as: left });
    expect(reply.status).toBe(204);
    await call(app, `DELETE /admin/users/${gone.id}`, { session: admin, body: {} });
    const others = [
      await pairFor(invited.id),
      await pairFor(left.id),
      await pairFor(gone.id),
      await pairFor(admin.id),
    ];
    const mine = await pairFor(me.id);
    await merge(me, [mine.a.id, mine.b.id]);
    expect(await getFaces(mine.a.id)).toBe(2);
    for (const { a, b } of others) {
      expect([await getFaces(a.id), await getFaces(b.id)]).toEqual([1, 1]);
    }
    // Nor does somebody who has left reach the members.
    const [again, theirs] = [await pairFor(me.id), others[1]!];
    await merge(left, [theirs.a.id, theirs.b.id]);
    expect(await getFaces(theirs.a.id)).toBe(2);
    expect([await getFaces(again.a.id), await getFaces(again.b.id)]).toEqual([1, 1]);
  });
});
