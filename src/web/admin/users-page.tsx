import { Pencil, RotateCcw, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { get, post, put, remove } from '../api.ts';
import { formatBytes } from '../format.ts';
import { attempt } from '../toast.tsx';
import type { Me } from '../types.ts';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Field, Form, useForm } from '../ui/form.tsx';
import { Avatar, IconButton, Page, Progress } from '../ui/parts.tsx';
import { useLiveReload } from '../ui/use-live-reload.ts';
import { useLoad } from '../ui/use-load.ts';

const fetchUsers = () => get<Me[]>('/admin/users', { withDeleted: true });
const GB = 1e9;
type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; user: Me } | undefined;

export function UsersPage({ me }: { me: Me }) {
  const { data, error, reload } = useLoad(fetchUsers);
  useLiveReload(['on_user_delete'], reload);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const button = (
    <button className="button" onClick={() => setOpen({ kind: 'new' })}>
      <UserPlus size={18} aria-hidden /> New account
    </button>
  );
  return (
    <Page title="Accounts" actions={button}>
      {error && <p role="alert">{error}</p>}
      <ul className="people people-list">
        {data?.map((user) => (
          <li key={user.id} className={user.deletedAt ? 'gone' : ''}>
            <Avatar name={user.name} />
            <span className="person-name">
              {user.name} {user.isAdmin && <span className="tag">admin</span>}
              <small>{user.deletedAt ? 'will be deleted' : user.email}</small>
            </span>
            <Usage user={user} />
            {user.deletedAt ? (
              <IconButton
                icon={RotateCcw}
                label={`Restore ${user.name}`}
                onClick={() =>
                  void attempt(
                    () => post(`/admin/users/${user.id}/restore`),
                    'Account restored',
                  ).then(reload)
                }
              />
            ) : (
              <IconButton
                icon={Pencil}
                label={`Edit ${user.name}`}
                onClick={() => setOpen({ kind: 'edit', user })}
              />
            )}
            {user.id !== me.id && !user.deletedAt && (
              <IconButton
                icon={Trash2}
                label={`Delete ${user.name}`}
                onClick={() => setOpen({ kind: 'delete', user })}
              />
            )}
          </li>
        ))}
      </ul>
      {open?.kind === 'new' && <NewUser onClose={close} onDone={reload} />}
      {open?.kind === 'edit' && <EditUser user={open.user} onClose={close} onDone={reload} />}
      {open?.kind === 'delete' && (
        <Confirm
          title={`Delete ${open.user.name}?`}
          text="The account is closed now and removed with its photos after some days. Until then it can be restored."
          action="Delete account"
          onClose={close}
          onConfirm={() =>
            void attempt(() => remove(`/admin/users/${open.user.id}`, {}), 'Account closed').then(
              reload,
            )
          }
        />
      )}
    </Page>
  );
}

function Usage({ user: { quotaSizeInBytes: size, quotaUsageInBytes, name } }: { user: Me }) {
  const used = quotaUsageInBytes ?? 0;
  return (
    <span className="usage">
      {size ? <Progress value={Math.min(1, used / size)} label={`Quota of ${name}`} /> : null}
      <small>{size ? `${formatBytes(used)} of ${formatBytes(size)}` : formatBytes(used)}</small>
    </span>
  );
}

/** Empty: no limit. */
const quotaOf = (text: string | undefined): number | null =>
  text && Number(text) > 0 ? Math.round(Number(text) * GB) : null;

type DialogProps = { onClose: () => void; onDone: () => Promise<void> };

function NewUser({ onClose, onDone }: DialogProps) {
  const form = useForm(async (values) => {
    await post('/admin/users', {
      name: values['name'],
      email: values['email'],
      password: values['password'],
      shouldChangePassword: values['change'] === 'on',
      quotaSizeInBytes: quotaOf(values['quota']),
    });
    await onDone();
    onClose();
  });
  return (
    <Dialog title="New account" onClose={onClose}>
      <Form state={form} action="Create account">
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          autoComplete="off"
          error={form.fields['name']}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          required
          autoComplete="off"
          error={form.fields['email']}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          minLength={8}
          autoComplete="new-password"
          hint="At least 8 characters."
          error={form.fields['password']}
        />
        <label className="check">
          <input type="checkbox" name="change" defaultChecked /> Must choose a new one at the first
          login
        </label>
        <QuotaField value={null} />
      </Form>
    </Dialog>
  );
}

const QuotaField = ({ value }: { value: number | null }) => (
  <Field
    label="Quota in GB"
    name="quota"
    type="number"
    min={0}
    step="any"
    defaultValue={value ? value / GB : ''}
    hint="Leave empty for no limit."
  />
);

function EditUser({ user, onClose, onDone }: DialogProps & { user: Me }) {
  const form = useForm(async (values) => {
    await put(`/admin/users/${user.id}`, {
      name: values['name'],
      email: values['email'],
      quotaSizeInBytes: quotaOf(values['quota']),
      ...(values['password'] ? { password: values['password'], shouldChangePassword: true } : {}),
    });
    await onDone();
    onClose();
  });
  return (
    <Dialog title={`Edit ${user.name}`} onClose={onClose}>
      <Form state={form} action="Save">
        <Field
          label="Name"
          name="name"
          required
          defaultValue={user.name}
          error={form.fields['name']}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          required
          defaultValue={user.email}
          error={form.fields['email']}
        />
        <QuotaField value={user.quotaSizeInBytes} />
        <Field
          label="New password"
          name="password"
          type="password"
          minLength={8}
          autoComplete="new-password"
          hint="Leave empty to keep the old one."
          error={form.fields['password']}
        />
      </Form>
    </Dialog>
  );
}
