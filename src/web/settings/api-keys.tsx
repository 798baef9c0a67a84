import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { ApiKey } from '../types.ts';
import { CopyField } from '../ui/copy-field.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { IconButton } from '../ui/parts.tsx';
import { apiKeysQuery, createApiKey, deleteApiKey } from './queries.ts';
import styles from './settings.module.css';

/** Sets of permissions for common purposes, so that nobody must read a list of 160 names. */
const PURPOSES = [
  {
    name: 'upload',
    label: 'Upload photos (command line, phone backup)',
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
    label: 'Look at photos (picture frame, TV)',
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
  { name: 'all', label: 'Everything I may do', permissions: ['all'] },
] as const;

export function ApiKeys() {
  const { data, error } = useQuery(apiKeysQuery());
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  return (
    <section className="card">
      <h2>API keys</h2>
      <p className="muted">For programs that act for you, without your password.</p>
      {error && <p role="alert">{error.message}</p>}
      <ul className="people">
        {data?.map((key) => (
          <li key={key.id}>
            <KeyRound size={22} strokeWidth={1.5} aria-hidden />
            <span className="person-name">
              {key.name}
              <small>
                {key.permissions.some((name) => name === 'all')
                  ? 'everything'
                  : formatCount(key.permissions.length, 'permission')}
                , made {new Date(key.createdAt).toLocaleDateString()}
              </small>
            </span>
            <IconButton
              icon={Trash2}
              label={`Delete ${key.name}`}
              onClick={() => setDeleting(key)}
            />
          </li>
        ))}
      </ul>
      <button className="button" onClick={() => setCreating(true)}>
        <Plus size={18} aria-hidden /> New key
      </button>
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={`Delete “${deleting.name}”?`}
          text="Programs that use this key lose their access at once."
          action="Delete key"
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void attempt(() => deleteApiKey(deleting.id), 'Key deleted')}
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
    <Dialog title="New API key" onClose={onClose}>
      <Form state={form} action="Create key">
        <Field label="Name" name="name" required autoFocus hint="Which program will use it?" />
        <fieldset className={`${styles.choices} ${styles.tall}`}>
          <legend>It may</legend>
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
  <Dialog title="Your new key" onClose={onClose}>
    <p className="muted">Copy it now. It is shown only this once.</p>
    <CopyField value={secret} label="API key" />
    <div className="dialog-actions">
      <button className="button primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
);
