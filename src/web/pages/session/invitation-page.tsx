import { useQuery } from '@tanstack/react-query';
import { ApiError, getMessage, post } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import type { OpenInvitation } from '../../data/types.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { CardPage } from '../../parts/session/card-page.tsx';
import { NewPasswordFields } from '../../parts/session/new-password-fields.tsx';
import { acceptInvitation, leaveInvitation } from '../../data/session/session.ts';

/** The page of a link for somebody who has no account yet. */
export function InvitationPage({ token }: { token: string }) {
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => post<OpenInvitation>('/invitations/open', { token }),
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (data) return <Accept invitation={data} token={token} />;
  if (!error) return null;
  const isInvalid = error instanceof ApiError && error.code === 'invitation_invalid';
  return (
    <CardPage
      title={t('This invitation is not valid')}
      text={
        isInvalid ? t('It was used, revoked or has expired. Ask for a new one.') : getMessage(error)
      }
    >
      <button className="button primary" onClick={() => void leaveInvitation()}>
        {t('Log in')}
      </button>
    </CardPage>
  );
}

type AcceptProps = { invitation: OpenInvitation; token: string };

function Accept({ invitation: { name, email, inviterName }, token }: AcceptProps) {
  const form = useForm((values) => {
    const { name: chosen = '', password = '', again } = values;
    if (password !== again) {
      throw new ApiError(400, '', { again: t('The two passwords are not the same.') });
    }
    return acceptInvitation({ token, name: chosen, password });
  });
  return (
    <CardPage
      title={t('You are invited')}
      text={t('{name} invites you to share photos here. Choose a password for your account.', {
        name: inviterName,
      })}
    >
      <Form state={form} action={t('Create account')}>
        <Field
          label={t('Name')}
          name="name"
          required
          maxLength={255}
          autoComplete="name"
          defaultValue={name}
          error={form.fields['name']}
        />
        <Field
          label={t('Email')}
          name="email"
          type="email"
          readOnly
          autoComplete="username"
          value={email}
          hint={t('You log in with it.')}
        />
        <NewPasswordFields fields={form.fields} label={t('Password')} />
      </Form>
    </CardPage>
  );
}
