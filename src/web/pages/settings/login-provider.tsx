import { useQuery } from '@tanstack/react-query';
import { Link2, Unlink } from 'lucide-react';
import { useState } from 'react';
import { post } from '../../base/api.ts';
import { startOAuthLink } from '../../data/session/oauth.ts';
import { session } from '../../data/session/session.ts';
import { serverConfigQuery } from '../../data/server/queries.ts';
import { attempt, showError } from '../../ui/toast.tsx';
import type { Me } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { publicConfigQuery } from '../../data/settings/access-queries.ts';
import { t } from '../../base/i18n.ts';

/** Whether the account can be entered through the login provider of the server. */
export function LoginProvider({ me }: { me: Me }) {
  const { data: login } = useQuery(publicConfigQuery());
  const { data: server } = useQuery(serverConfigQuery());
  const [asks, setAsks] = useState(false);
  const isLinked = me.oauthId !== '';
  if (!login?.oauth.enabled && !isLinked) return null;
  const link = () => startOAuthLink().catch(showError);
  const unlink = async () => {
    session.set({ stage: 'signed-in', me: await post<Me>('/oauth/unlink') });
  };
  return (
    <section className="card">
      <h2>{t('Login provider')}</h2>
      <p className="muted">
        {isLinked
          ? t('You can log in with the login provider.')
          : t('Link your account to log in without a password.')}
      </p>
      <div className="card-actions">
        {server?.oauthAccountManagementUrl && (
          <a className="button" href={server.oauthAccountManagementUrl} rel="noreferrer">
            {t('Account at the provider')}
          </a>
        )}
        {isLinked ? (
          <button className="button" onClick={() => setAsks(true)}>
            <Unlink size={16} aria-hidden /> {t('Unlink')}
          </button>
        ) : (
          <button className="button" onClick={() => void link()}>
            <Link2 size={16} aria-hidden /> {t('Link account')}
          </button>
        )}
      </div>
      {asks && (
        <Confirm
          title={t('Unlink the login provider?')}
          text={t('From then on you need your password to log in.')}
          action={t('Unlink')}
          onClose={() => setAsks(false)}
          onConfirm={() => void attempt(unlink, t('Unlinked'))}
        />
      )}
    </section>
  );
}
