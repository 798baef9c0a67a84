import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { ApiError, getMessage } from '../../base/api.ts';
import type { PublicConfig } from '../../data/types.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { CardPage } from '../../parts/session/card-page.tsx';
import { NewPasswordFields } from '../../parts/session/new-password-fields.tsx';
import { startOAuthLogin } from '../../data/session/oauth.ts';
import { RestoreForm } from './restore-form.tsx';
import { changePassword, logIn, logOut, signUp } from '../../data/session/session.ts';
import styles from '../../parts/session/card-page.module.css';
import { t } from '../../base/i18n.ts';

export function SignUpPage() {
  const form = useForm((values) => {
    if (values['password'] !== values['again']) {
      throw new ApiError(400, '', { again: t('The two passwords are not the same.') });
    }
    return signUp(values['name'] ?? '', values['email'] ?? '', values['password'] ?? '');
  });
  return (
    <CardPage
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
      <RestoreForm />
    </CardPage>
  );
}

const EmailField = (props: { error: string | undefined; autoFocus?: boolean }) => (
  <Field label={t('Email')} name="email" type="email" required autoComplete="username" {...props} />
);

type LoginProps = { note: string; config: PublicConfig | undefined };

export function LoginPage({ note, config }: LoginProps) {
  const form = useForm((values) => logIn(values['email'] ?? '', values['password'] ?? ''));
  return (
    <CardPage title={t('Log in')} text={config?.server.loginPageMessage ?? ''}>
      {note && (
        <p className={styles.note} role="status">
          {note}
        </p>
      )}
      {config?.oauth.enabled && <OAuthButton text={config.oauth.buttonText} />}
      {config?.passwordLogin.enabled === false ? (
        !config.oauth.enabled && <p>{t('Logging in is switched off on this server.')}</p>
      ) : (
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
      )}
    </CardPage>
  );
}

function OAuthButton({ text }: { text: string }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      await startOAuthLogin();
    } catch (problem) {
      setError(getMessage(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button className="button primary" disabled={isBusy} onClick={() => void start()}>
        <LogIn size={18} aria-hidden /> {text}
      </button>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
    </>
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
    <CardPage
      title={t('Choose a new password')}
      text={t('Your password was set by an administrator.')}
    >
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
    </CardPage>
  );
}
