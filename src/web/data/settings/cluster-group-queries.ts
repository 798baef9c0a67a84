import { queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { ClusterGroupRequest, Me, Person } from '../types.ts';

const fetchMembers = (groupId: string) => get<Person[]>(`/cluster-groups/${groupId}/users`);

/** The group of this account. It is asked for anew each time: of a former group nothing may be read. */
async function fetchGroup() {
  const { clusterGroupId: id } = await get<Me>('/users/me');
  const [members, invited] = await Promise.all([
    fetchMembers(id),
    get<ClusterGroupRequest[]>(`/cluster-groups/${id}/requests`),
  ]);
  return { id, members, invited };
}
export const groupQuery = () =>
  queryOptions({ queryKey: [...keys.clusterGroups, 'own'], queryFn: fetchGroup });

export type Invitation = { id: string; members: readonly Person[] };

/** Invitations that wait for an answer of this account, with the members of the groups. */
async function fetchInvitations(): Promise<Invitation[]> {
  const requests = await get<ClusterGroupRequest[]>('/cluster-groups/requests');
  return Promise.all(
    requests.map(async ({ id, clusterGroupId }) => ({
      id,
      members: await fetchMembers(clusterGroupId),
    })),
  );
}
export const invitationsQuery = () =>
  queryOptions({ queryKey: [...keys.clusterGroups, 'invitations'], queryFn: fetchInvitations });

const GROUPS = { invalidates: [keys.clusterGroups] };
export const inviteToGroup = (groupId: string, userId: string): Promise<ClusterGroupRequest> =>
  mutate(() => put(`/cluster-groups/${groupId}/requests`, { userId }), GROUPS);
/** Declines or withdraws it. */
export const dropInvitation = (id: string): Promise<void> =>
  mutate(() => remove(`/cluster-groups/requests/${id}`), GROUPS);

export const acceptInvitation = (id: string): Promise<void> =>
  mutate(() => post(`/cluster-groups/requests/${id}/accept`, {}), GROUPS);
export const leaveGroup = (groupId: string): Promise<void> =>
  mutate(() => post(`/cluster-groups/${groupId}/leave`, {}), GROUPS);
