import { t } from '../../base/i18n.ts';
import { Field } from '../../ui/form.tsx';

type Props = { errors: Readonly<Record<string, string>>; emailHint?: string };

/** Name and address of an account that is made for somebody else: browsers fill in nothing. */
export const NewAccountFields = ({ errors, emailHint }: Props) => (
  <>
    <Field
      label={t('Name')}
      name="name"
      required
      autoFocus
      autoComplete="off"
      error={errors['name']}
    />
    <Field
      label={t('Email')}
      name="email"
      type="email"
      required
      autoComplete="off"
      hint={emailHint}
      error={errors['email']}
    />
  </>
);
