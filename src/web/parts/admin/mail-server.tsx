import { Send } from 'lucide-react';
import { useState } from 'react';
import { getMessage } from '../../base/api.ts';
import type { MailSettingsResponse } from '../../data/types.ts';
import { Field, type FormState } from '../../ui/form.tsx';
import { sendTestMail } from '../../data/admin/mail-data.ts';
import styles from './admin.module.css';
import { t } from '../../base/i18n.ts';

const EXAMPLES = {
  host: 'smtp.example.com',
  from: 'photos@example.com',
  page: 'https://photos.example.com',
};

type FieldsProps = { settings: MailSettingsResponse; form: FormState };

export function ServerFields({ settings, form }: FieldsProps) {
  const { smtp, externalDomain, hasPassword } = settings;
  const { transport } = smtp;
  const at = (name: string) => ({ name, error: form.fields[name] });
  return (
    <>
      <Field
        {...at('smtp.transport.host')}
        label={t('Server')}
        defaultValue={transport.host}
        placeholder={EXAMPLES.host}
        autoComplete="off"
      />
      <Field
        {...at('smtp.transport.port')}
        label={t('Port')}
        type="number"
        min={0}
        max={65_535}
        required
        defaultValue={transport.port}
      />
      <Check
        name="smtp.transport.secure"
        label={t('Encrypted from the start (usually port 465)')}
        isOn={transport.secure}
      />
      <Check
        name="smtp.transport.ignoreCert"
        label={t('Accept any certificate (unsafe)')}
        isOn={transport.ignoreCert}
      />
      <Field
        {...at('smtp.transport.username')}
        label={t('User name')}
        defaultValue={transport.username}
        autoComplete="off"
      />
      <Field
        {...at('smtp.transport.password')}
        label={t('Password')}
        type="password"
        autoComplete="new-password"
        hint={hasPassword ? t('Leave empty to keep the current one.') : undefined}
      />
      <Field
        {...at('smtp.from')}
        label={t('Sender')}
        defaultValue={smtp.from}
        placeholder={EXAMPLES.from}
      />
      <Field
        {...at('smtp.replyTo')}
        label={t('Replies go to')}
        defaultValue={smtp.replyTo}
        hint={t('Leave empty for the sender.')}
      />
      <Field
        {...at('externalDomain')}
        label={t('Address of this page')}
        type="url"
        defaultValue={externalDomain}
        placeholder={EXAMPLES.page}
        hint={t('Links in mail lead there; without it they are left out.')}
      />
    </>
  );
}

export const Check = ({ name, label, isOn }: { name: string; label: string; isOn: boolean }) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={isOn} /> {label}
  </label>
);

type Smtp = MailSettingsResponse['smtp'];

/** Sends a message by what the form holds, saved or not, and shows what the server says. */
export function TestButton({ getSmtp }: { getSmtp: () => Smtp }) {
  const [result, setResult] = useState<{ text: string; isError: boolean }>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setResult(undefined);
    try {
      await sendTestMail(getSmtp());
      setResult({ text: t('Sent. Check your inbox.'), isError: false });
    } catch (error) {
      setResult({ text: getMessage(error), isError: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p role="status" className={result?.isError ? 'form-error' : styles.sent}>
        {result?.text}
      </p>
      <button type="button" className="button" disabled={isBusy} onClick={() => void send()}>
        <Send size={16} aria-hidden />
        {isBusy ? t('One moment …') : t('Send a test message to me')}
      </button>
    </>
  );
}
