import { Field } from '../../ui/form.tsx';
import { t } from '../../base/i18n.ts';

type Props = { fields: Readonly<Record<string, string>>; label?: string };

export function NewPasswordFields({ fields, label = t('New password') }: Props) {
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
