import { ApiError } from '../api.ts';
import { Field, Form, useForm } from '../ui/form.tsx';
import { Door } from './door.tsx';
import { changePassword, logIn, logOut, signUp } from './session.ts';
import styles from './door.module.css';
import { t } from '../i18n.ts';

export function SignUpPage() {
  const form = useForm((values) => {
    if (values['password'] !== values['again']) {
      throw new ApiError(400, '', { again: t('The two passwords are not the same.') });
    }
    return signUp(values['name'] ?? '', values['email'] ?? '', values['password'] ?? '');
  });
  return (
    <Door
      title={t('Welcome to Safelight')}
      text={t('Create the first account. It can manage this server and add other people.')}
    >
      <Form state={form} action={t('Create account')}>
        <Field
          label={t('Name')}
          name="name"
          required
          autoComplete="name"
          autoFocus
          error={form.fields['name']}
        />
        <EmailField error={form.fields['email']} />
        <NewPasswordFields fields={form.fields} label={t('Password')} />
      </Form>
    </Door>
  );
}

const EmailField = (props: { error: string | undefined; autoFocus?: boolean }) => (
  <Field
    label={t('E-mail')}
    name="email"
    type="email"
    required
    autoComplete="username"
    {...props}
  />
);

type NewPasswordProps = { fields: Readonly<Record<string, string>>; label?: string };

export function NewPasswordFields({ fields, label = t('New password') }: NewPasswordProps) {
  return (
    <>
      <Field
        label={label}
        name="password"
        type="password"
        required
        minLength={8}
        autoComplete="new-password"
        hint={t('At least 8 characters.')}
        error={fields['password'] ?? fields['newPassword']}
      />
      <Field
        label={t('{label} again', { label })}
        name="again"
        type="password"
        required
        autoComplete="new-password"
        error={fields['again']}
      />
    </>
  );
}

export function LoginPage({ note, message }: { note: string; message: string }) {
  const form = useForm((values) => logIn(values['email'] ?? '', values['password'] ?? ''));
  return (
    <Door title={t('Log in')} text={message}>
      {note && (
        <p className={styles.doorNote} role="status">
          {note}
        </p>
      )}
      <Form state={form} action={t('Log in')}>
        <EmailField error={form.fields['email']} autoFocus />
        <Field
          label={t('Password')}
          name="password"
          type="password"
          required
          autoComplete="current-password"
          error={form.fields['password']}
        />
      </Form>
    </Door>
  );
}

export function NewPasswordPage() {
  const form = useForm((values) => {
    if (values['password'] !== values['again']) {
      throw new ApiError(400, '', { again: t('The two passwords are not the same.') });
    }
    return changePassword(values['old'] ?? '', values['password'] ?? '', true);
  });
  return (
    <Door title={t('Choose a new password')} text={t('Your password was set by an administrator.')}>
      <Form
        state={form}
        action={t('Save password')}
        extra={
          <button type="button" className="button" onClick={() => void logOut()}>
            {t('Log out')}
          </button>
        }
      >
        <Field
          label={t('Password you logged in with')}
          name="old"
          type="password"
          required
          autoFocus
          autoComplete="current-password"
        />
        <NewPasswordFields fields={form.fields} />
      </Form>
    </Door>
  );
}
