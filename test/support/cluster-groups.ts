import type { App } from '../../src/app.ts';
import { call, type Reply, type TestUser } from './harness.ts';

export const readGroupId = async (app: App, as: TestUser): Promise<string> =>
  (await call(app, 'GET /users/me', { as })).body.clusterGroupId;

/** Invites an account into the group of `as`, unless another group is given. */
export async function invite(
  app: App,
  as: TestUser,
  { id: userId }: Pick<TestUser, 'id'>,
  groupId?: string,
): Promise<Reply> {
  const id = groupId ?? (await readGroupId(app, as));
  return call(app, `PUT /cluster-groups/${id}/requests`, { as, body: { userId } });
}

/** Makes accounts members of the group of `as`, by invitations that they accept. */
export async function joinGroup(app: App, as: TestUser, ...members: TestUser[]): Promise<void> {
  for (const member of members) {
    const { body } = await invite(app, as, member);
    const { status } = await call(app, `POST /cluster-groups/requests/${body.id}/accept`, {
      as: member,
    });
    if (status !== 204) throw new Error(`accepting answered ${status}`);
  }
}
