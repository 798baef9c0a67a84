import { useQuery } from '@tanstack/react-query';
import { MailPlus, Pencil, RotateCcw, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import type { Me } from '../../data/types.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Avatar, IconButton, Page, Progress } from '../../ui/elements.tsx';
import {
  changeUser,
  createUser,
  deleteUser,
  replacePassword,
  restoreUser,
  usersQuery,
} from '../../data/admin/queries.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { parseQuota, QuotaField } from './quota-field.tsx';
import styles from '../../parts/admin/admin.module.css';
import { NewAccountFields } from './new-account-fields.tsx';
import { t } from '../../base/i18n.ts';

type Open = { kind: 'new' | 'invite' } | { kind: 'edit' | 'delete'; user: Me } | undefined;

export function UsersPage({ me }: { me: Me }) {
  const { data, error } = useQuery(usersQuery());
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const buttons = (
    <>
      <button className="button" onClick={() => setOpen({ kind: 'invite' })}>
        <MailPlus size={18} aria-hidden /> {t('Invite')}
      </button>
      <button className="button" onClick={() => setOpen({ kind: 'new' })}>
        <UserPlus size={18} aria-hidden /> {t('New account')}
      </button>
    </>
  );
  return (
    <Page title={t('Accounts')} actions={buttons}>
      {error && <p role="alert">{error.message}</p>}
      <ul className="people people-list">
        {data?.map((user) => (
          <li key={user.id} className={user.deletedAt ? 'muted' : ''}>
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
                onClick={() => void restoreAccount(user)}
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
      <Invitations />
      {open?.kind === 'invite' && <InviteDialog onClose={close} />}
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
          onConfirm={() => void closeAccount(open.user)}
        />
      )}
    </Page>
  );
}

const closeAccount = ({ id }: Me): Promise<boolean> =>
  attemptUndoable(
    () => deleteUser(id),
    t('Account closed'),
    () => restoreUser(id),
  );
const restoreAccount = ({ id }: Me): Promise<boolean> =>
  attemptUndoable(
    () => restoreUser(id),
    t('Account restored'),
    () => deleteUser(id),
  );

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
        <NewAccountFields errors={form.fields} />
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
          {t('Must choose a new password at first login')}
        </label>
        <QuotaField value={null} />
      </Form>
    </Dialog>
  );
}

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
          label={t('Email')}
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
          hint={t('Leave empty to keep the current one.')}
          error={form.fields['password']}
        />
      </Form>
    </Dialog>
  );
}
