import { useQuery } from '@tanstack/react-query';
import { Pencil, RotateCcw, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { Me } from '../types.ts';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { Avatar, IconButton, Page, Progress } from '../ui/parts.tsx';
import {
  changeUser,
  createUser,
  deleteUser,
  replacePassword,
  restoreUser,
  usersQuery,
} from './queries.ts';
import styles from './admin.module.css';
import { t } from '../i18n.ts';

const GB = 1e9;
type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; user: Me } | undefined;

export function UsersPage({ me }: { me: Me }) {
  const { data, error } = useQuery(usersQuery());
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const button = (
    <button className="button" onClick={() => setOpen({ kind: 'new' })}>
      <UserPlus size={18} aria-hidden /> {t('New account')}
    </button>
  );
  return (
    <Page title={t('Accounts')} actions={button}>
      {error && <p role="alert">{error.message}</p>}
      <ul className="people people-list">
        {data?.map((user) => (
          <li key={user.id} className={user.deletedAt ? 'gone' : ''}>
            <Avatar name={user.name} />
            <span className="person-name">
              {user.name} {user.isAdmin && <span className="tag">{t('admin')}</span>}
              <small>{user.deletedAt ? t('will be deleted') : user.email}</small>
            </span>
            <Usage user={user} />
            {user.deletedAt ? (
              <IconButton
                icon={RotateCcw}
                label={t('Restore {name}', { name: user.name })}
                onClick={() => void attempt(() => restoreUser(user.id), t('Account restored'))}
              />
            ) : (
              <IconButton
                icon={Pencil}
                label={t('Edit {name}', { name: user.name })}
                onClick={() => setOpen({ kind: 'edit', user })}
              />
            )}
            {user.id !== me.id && !user.deletedAt && (
              <IconButton
                icon={Trash2}
                label={t('Delete {name}', { name: user.name })}
                onClick={() => setOpen({ kind: 'delete', user })}
              />
            )}
          </li>
        ))}
      </ul>
      {open?.kind === 'new' && <NewUser onClose={close} />}
      {open?.kind === 'edit' && (
        <EditUser user={open.user} isMe={open.user.id === me.id} onClose={close} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: open.user.name })}
          text={t(
            'The account is closed now and removed with its photos after some days. Until then it can be restored.',
          )}
          action={t('Delete account')}
          onClose={close}
          onConfirm={() => void attempt(() => deleteUser(open.user.id), t('Account closed'))}
        />
      )}
    </Page>
  );
}

function Usage({ user: { quotaSizeInBytes: size, quotaUsageInBytes, name } }: { user: Me }) {
  const used = quotaUsageInBytes ?? 0;
  return (
    <span className={styles.usage}>
      {size ? (
        <Progress value={Math.min(1, used / size)} label={t('Quota of {name}', { name })} />
      ) : null}
      <small>
        {size
          ? t('{used} of {size}', { used: formatBytes(used), size: formatBytes(size) })
          : formatBytes(used)}
      </small>
    </span>
  );
}

/** Returns bytes of a number of GB; null, without a limit, for an empty text. */
const parseQuota = (text: string | undefined): number | null =>
  text && Number(text) > 0 ? Math.round(Number(text) * GB) : null;

type DialogProps = { onClose: () => void };

function NewUser({ onClose }: DialogProps) {
  const form = useForm(async (values) => {
    await createUser({
      name: values['name'],
      email: values['email'],
      password: values['password'],
      shouldChangePassword: values['change'] === 'on',
      quotaSizeInBytes: parseQuota(values['quota']),
    });
    onClose();
  });
  return (
    <Dialog title={t('New account')} onClose={onClose}>
      <Form state={form} action={t('Create account')}>
        <Field
          label={t('Name')}
          name="name"
          required
          autoFocus
          autoComplete="off"
          error={form.fields['name']}
        />
        <Field
          label={t('E-mail')}
          name="email"
          type="email"
          required
          autoComplete="off"
          error={form.fields['email']}
        />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          required
          minLength={8}
          autoComplete="new-password"
          hint={t('At least 8 characters.')}
          error={form.fields['password']}
        />
        <label className="check">
          <input type="checkbox" name="change" defaultChecked />{' '}
          {t('Must choose a new one at the first login')}
        </label>
        <QuotaField value={null} />
      </Form>
    </Dialog>
  );
}

const QuotaField = ({ value }: { value: number | null }) => (
  <Field
    label={t('Quota in GB')}
    name="quota"
    type="number"
    min={0}
    step="any"
    defaultValue={value ? value / GB : ''}
    hint={t('Leave empty for no limit.')}
  />
);

function EditUser({ user, isMe, onClose }: DialogProps & { user: Me; isMe: boolean }) {
  const form = useForm(async (values) => {
    const { name, email, quota, password } = values;
    const isAdmin = values['admin'] === 'on';
    const change = {
      name,
      email,
      quotaSizeInBytes: parseQuota(quota),
      ...(!isMe && isAdmin !== user.isAdmin && { isAdmin }),
    };
    if (password)
      await replacePassword(user.id, { ...change, password, shouldChangePassword: true });
    else await changeUser(user.id, change);
    onClose();
  });
  return (
    <Dialog title={t('Edit {name}', { name: user.name })} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('Name')}
          name="name"
          required
          defaultValue={user.name}
          error={form.fields['name']}
        />
        <Field
          label={t('E-mail')}
          name="email"
          type="email"
          required
          defaultValue={user.email}
          error={form.fields['email']}
        />
        <QuotaField value={user.quotaSizeInBytes} />
        {!isMe && (
          <label className="check">
            <input type="checkbox" name="admin" defaultChecked={user.isAdmin} />{' '}
            {t('Administrator: manages this server and all accounts')}
          </label>
        )}
        <Field
          label={t('New password')}
          name="password"
          type="password"
          minLength={8}
          autoComplete="new-password"
          hint={t('Leave empty to keep the old one.')}
          error={form.fields['password']}
        />
      </Form>
    </Dialog>
  );
}
