import { useQuery } from '@tanstack/react-query';
import { MailX } from 'lucide-react';
import { useState } from 'react';
import { formatLongDate } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Invitation } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Avatar, IconButton } from '../../ui/elements.tsx';
import styles from '../../parts/admin/admin.module.css';
import { invitationsQuery, revokeInvitation } from '../../data/admin/invitation-data.ts';

/** People who were invited and have not come yet. */
export function Invitations() {
  const { data, error } = useQuery(invitationsQuery());
  const [revoked, setRevoked] = useState<Invitation>();
  if (error) return <p role="alert">{error.message}</p>;
  if (!data?.length) return null;
  return (
    <section className={styles.invitations} aria-labelledby="open-invitations">
      <h2 id="open-invitations">{t('Open invitations')}</h2>
      <ul className="people people-list">
        {data.map((invitation) => (
          <li key={invitation.id}>
            <Avatar name={invitation.name} />
            <span className="person-name">
              {invitation.name}
              <small>{describe(invitation)}</small>
            </span>
            <IconButton
              icon={MailX}
              label={t('Revoke the invitation of {name}', { name: invitation.name })}
              onClick={() => setRevoked(invitation)}
            />
          </li>
        ))}
      </ul>
      {revoked && (
        <Confirm
          title={t('Revoke the invitation of {name}?', { name: revoked.name })}
          text={t('The link stops working. You can invite the person again with another link.')}
          action={t('Revoke')}
          onClose={() => setRevoked(undefined)}
          onConfirm={() =>
            void attempt(() => revokeInvitation(revoked.id), t('Invitation revoked'))
          }
        />
      )}
    </section>
  );
}

const describe = ({ email, inviterName, expiresAt }: Invitation): string =>
  [
    email,
    t('invited by {name}', { name: inviterName }),
    t('until {day}', { day: formatLongDate(new Date(expiresAt)) }),
  ].join(' · ');
