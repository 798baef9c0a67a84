import { queryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Invitation, InvitationCreate, NewInvitation } from '../types.ts';

export const invitationsQuery = () =>
  queryOptions({
    queryKey: [...keys.users, 'invitations'],
    queryFn: () => get<Invitation[]>('/admin/invitations'),
  });

const USERS = { invalidates: [keys.users] };
export const createInvitation = (invitation: InvitationCreate): Promise<NewInvitation> =>
  mutate(() => post('/admin/invitations', invitation), USERS);
export const revokeInvitation = (id: string): Promise<void> =>
  mutate(() => remove(`/admin/invitations/${id}`), USERS);

/** Behind the '#': browsers send it to no server, so it gets into no log. */
export const toInvitationPath = ({ token }: Pick<NewInvitation, 'token'>): string =>
  `/invitation#${token}`;
