import { useQuery } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { accountsQuery } from '../../data/albums/queries.ts';
import { attempt } from '../../ui/toast.tsx';
import type { ClusterGroupRequest, Person } from '../../data/types.ts';
import { Avatar, IconButton } from '../../ui/elements.tsx';
import {
  acceptInvitation,
  dropInvitation,
  groupQuery,
  type Invitation,
  invitationsQuery,
  inviteToGroup,
  leaveGroup,
} from '../../data/settings/cluster-group-queries.ts';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';

/** The accounts whose people are merged together with those of this one, and invitations. */
export function ClusterGroup({ myId }: { myId: string }) {
  const { data: group } = useQuery(groupQuery());
  const { data: invitations = [] } = useQuery(invitationsQuery());
  const { data: accounts = [] } = useQuery(accountsQuery());
  if (!group) return null;
  const { members, invited } = group;
  const others = members.filter(({ id }) => id !== myId);
  const known = new Set([myId, ...members.map(({ id }) => id), ...invited.map(toUserId)]);
  const strangers = accounts.filter(({ id }) => !known.has(id));
  const nameFor = (id: string) => accounts.find((account) => account.id === id)?.name ?? '?';
  if (others.length + invited.length + invitations.length + strangers.length === 0) return null;
  return (
    <section className="card">
      <h2>{t('People together')}</h2>
      <p className="muted">
        {t(
          'When somebody in this group merges people, the same people are merged for every member. No member sees the photos of others.',
        )}
      </p>
      {invitations.length > 0 && (
        <ul className="people" aria-label={t('Invitations to me')}>
          {invitations.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
      {others.length + invited.length > 0 && (
        <ul className="people" aria-label={t('In my group')}>
          {others.map(({ id, name }) => (
            <Row key={id} name={name} state={t('is in your group')} />
          ))}
          {invited.map(({ id, userId }) => (
            <Row key={id} name={nameFor(userId)} state={t('is invited')}>
              <IconButton
                icon={X}
                label={t('Withdraw the invitation to {name}', { name: nameFor(userId) })}
                onClick={() => void attempt(() => dropInvitation(id), t('The invitation is gone'))}
              />
            </Row>
          ))}
        </ul>
      )}
      {strangers.length > 0 && <InviteChoice groupId={group.id} accounts={strangers} />}
      {others.length > 0 && (
        <button
          type="button"
          className="button"
          onClick={() => void attempt(() => leaveGroup(group.id), t('You have left the group'))}
        >
          {t('Leave the group')}
        </button>
      )}
    </section>
  );
}

const toUserId = ({ userId }: ClusterGroupRequest) => userId;

function InviteChoice({ groupId, accounts }: { groupId: string; accounts: readonly Person[] }) {
  return (
    <select
      className={styles.wide}
      aria-label={t('Invite to my group')}
      value=""
      onChange={({ target }) => {
        const chosen = accounts.find(({ id }) => id === target.value);
        if (!chosen) return;
        void attempt(
          () => inviteToGroup(groupId, chosen.id),
          t('{name} is invited to your group', { name: chosen.name }),
        );
      }}
    >
      <option value="">{t('Invite to my group …')}</option>
      {accounts.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function InvitationRow({ invitation: { id, members } }: { invitation: Invitation }) {
  const name = members.map((member) => member.name).join(', ');
  return (
    <Row name={name} state={t('invites you')}>
      <IconButton
        icon={Check}
        label={t('Accept the invitation from {name}', { name })}
        onClick={() =>
          void attempt(() => acceptInvitation(id), t('You are in the group of {name}', { name }))
        }
      />
      <IconButton
        icon={X}
        label={t('Decline the invitation from {name}', { name })}
        onClick={() => void attempt(() => dropInvitation(id), t('The invitation is gone'))}
      />
    </Row>
  );
}

function Row({
  name,
  state,
  children,
}: {
  name: string;
  state: string;
  children?: React.ReactNode;
}) {
  return (
    <li>
      <Avatar name={name} />
      <span className="person-name">
        {name}
        <small>{state}</small>
      </span>
      {children}
    </li>
  );
}
