import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../ui/toast.tsx';
import type { ApiKey } from '../../data/types.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { apiKeysQuery, createApiKey, deleteApiKey } from '../../data/settings/access-queries.ts';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';
import { formatDate } from '../../base/format.ts';

/** Sets of permissions for common purposes, so that nobody must read a list of 160 names. */
const PURPOSES = [
  {
    name: 'upload',
    label: t('Upload photos (command line, phone backup)'),
    permissions: [
      'user.read',
      'asset.upload',
      'asset.statistics',
      'server.about',
      'album.read',
      'album.create',
      'albumAsset.create',
    ],
  },
  {
    name: 'show',
    label: t('Look at photos (picture frame, TV)'),
    permissions: [
      'user.read',
      'asset.read',
      'asset.view',
      'asset.download',
      'album.read',
      'memory.read',
      'server.about',
    ],
  },
  { name: 'all', label: t('All my permissions'), permissions: ['all'] },
] as const;

export function ApiKeys() {
  const { data, error } = useQuery(apiKeysQuery());
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  return (
    <section className="card">
      <h2>{t('API keys')}</h2>
      <p className="muted">{t('For programs that act on your behalf, without your password.')}</p>
      {error && <p role="alert">{error.message}</p>}
      <ul className="people">
        {data?.map((key) => (
          <li key={key.id}>
            <KeyRound size={22} strokeWidth={1.5} aria-hidden />
            <span className="person-name">
              {key.name}
              <small>
                {t('{permissions}, made {date}', {
                  permissions: key.permissions.some((name) => name === 'all')
                    ? t('everything')
                    : t('{count, plural, one {# permission} other {# permissions}}', {
                        count: key.permissions.length,
                      }),
                  date: formatDate(key.createdAt),
                })}
              </small>
            </span>
            <IconButton
              icon={Trash2}
              label={t('Delete {name}', { name: key.name })}
              onClick={() => setDeleting(key)}
            />
          </li>
        ))}
      </ul>
      <button className="button" onClick={() => setCreating(true)}>
        <Plus size={18} aria-hidden /> {t('New key')}
      </button>
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={t('Delete “{name}”?', { name: deleting.name })}
          text={t('Programs that use this key lose their access at once.')}
          action={t('Delete key')}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void attempt(() => deleteApiKey(deleting.id), t('Key deleted'))}
        />
      )}
    </section>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const form = useForm(async (values) => {
    const purpose = PURPOSES.find(({ name }) => name === values['purpose']) ?? PURPOSES[0];
    const key = await createApiKey(values['name'] ?? '', purpose.permissions);
    setSecret(key.secret);
  });
  if (secret) return <Secret secret={secret} onClose={onClose} />;
  return (
    <Dialog title={t('New API key')} onClose={onClose}>
      <Form state={form} action={t('Create key')}>
        <Field
          label={t('Name')}
          name="name"
          required
          autoFocus
          hint={t('Which program will use it?')}
        />
        <fieldset className={`${styles.choices} ${styles.tall}`}>
          <legend>{t('Permissions')}</legend>
          {PURPOSES.map(({ name, label }, index) => (
            <label key={name} className="check">
              <input type="radio" name="purpose" value={name} defaultChecked={index === 0} />{' '}
              {label}
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}

const Secret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title={t('Your new key')} onClose={onClose}>
    <p className="muted">{t('Copy it now. It is shown only this once.')}</p>
    <CopyField value={secret} label={t('API key')} />
    <div className="dialog-actions">
      <button className="button primary" onClick={onClose}>
        {t('Done')}
      </button>
    </div>
  </Dialog>
);
