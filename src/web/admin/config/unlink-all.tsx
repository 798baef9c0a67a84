import { Unlink } from 'lucide-react';
import { useState } from 'react';
import { post } from '../../api.ts';
import { attempt } from '../../toast.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { t } from '../../i18n.ts';

/** For a change of the provider: the new one may know other people by the same identifiers. */
export function UnlinkAll() {
  const [asks, setAsks] = useState(false);
  return (
    <section className="card">
      <h2>{t('Accounts linked to the login provider')}</h2>
      <p className="muted">
        {t(
          'Unlink all accounts before you use another provider: it may know others by the same ID.',
        )}
      </p>
      <div className="card-actions">
        <button className="button" onClick={() => setAsks(true)}>
          <Unlink size={16} aria-hidden /> {t('Unlink all accounts')}
        </button>
      </div>
      {asks && (
        <Confirm
          title={t('Unlink all accounts?')}
          text={t('Whoever logs in with a verified email address is linked again.')}
          action={t('Unlink all accounts')}
          onClose={() => setAsks(false)}
          onConfirm={() => void attempt(() => post('/admin/auth/unlink-all'), t('Unlinked'))}
        />
      )}
    </section>
  );
}
