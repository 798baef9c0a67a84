import { useQuery } from '@tanstack/react-query';
import { Eye, Send } from 'lucide-react';
import { useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { getMessage } from '../api.ts';
import { attempt, showToast } from '../toast.tsx';
import type { MailSettingsResponse } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, type FormState, useForm } from '../ui/form.tsx';
import { Failure, Page } from '../ui/parts.tsx';
import {
  type MailTemplateName,
  mailSettingsQuery,
  previewTemplate,
  saveMailSettings,
  sendTestMail,
  toMailSettings,
  withoutStyles,
} from './mail-data.ts';
import styles from './admin.module.css';
import { t } from '../i18n.ts';

/** How this server sends mail, and its texts. */
export function MailPage() {
  const { data, error, refetch } = useQuery(mailSettingsQuery());
  return (
    <Page title={t('Mail')}>
      {error && !data && <Failure text={error.message} onRetry={() => void refetch()} />}
      {data && <MailForm settings={data} />}
    </Page>
  );
}

const readValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

function MailForm({ settings }: { settings: MailSettingsResponse }) {
  const box = useRef<HTMLDivElement>(null);
  const form = useForm(async (values, element) => {
    await saveMailSettings(toMailSettings(values));
    const password = element.elements.namedItem('smtp.transport.password');
    if (password instanceof HTMLInputElement) password.value = '';
    showToast(t('Saved'), 'success');
  });
  const getValues = () => readValues(box.current!.querySelector('form')!);
  return (
    <div ref={box} className={styles.mail}>
      <Form
        state={form}
        action={t('Save')}
        extra={<TestButton getSmtp={() => toMailSettings(getValues()).smtp} />}
      >
        <section className="card">
          <h2>{t('Mail server')}</h2>
          <Check name="smtp.enabled" label={t('Send mail')} isOn={settings.smtp.enabled} />
          <ServerFields settings={settings} form={form} />
        </section>
        <section className="card">
          <h2>{t('Texts')}</h2>
          <p className="muted">
            {t('Leave a text empty for the one that comes with this program.')}
          </p>
          {TEMPLATES.map((template) => (
            <Template
              key={template.name}
              template={template}
              value={settings.templates[template.field]}
              error={form.fields[`templates.${template.field}`]}
              getValue={() => getValues()[`templates.${template.field}`] ?? ''}
            />
          ))}
        </section>
      </Form>
    </div>
  );
}

const EXAMPLES = {
  host: 'smtp.example.com',
  from: 'photos@example.com',
  page: 'https://photos.example.com',
};

type FieldsProps = { settings: MailSettingsResponse; form: FormState };

function ServerFields({ settings, form }: FieldsProps) {
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
        hint={hasPassword ? t('Leave empty to keep the one it has.') : undefined}
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

const Check = ({ name, label, isOn }: { name: string; label: string; isOn: boolean }) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={isOn} /> {label}
  </label>
);

type Smtp = MailSettingsResponse['smtp'];

/** Sends a message by what the form holds, saved or not, and shows what the server says. */
function TestButton({ getSmtp }: { getSmtp: () => Smtp }) {
  const [result, setResult] = useState<{ text: string; isError: boolean }>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setResult(undefined);
    try {
      await sendTestMail(getSmtp());
      setResult({ text: t('Sent. Look into your mailbox.'), isError: false });
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

type Template = {
  name: MailTemplateName;
  field: keyof MailSettingsResponse['templates'];
  label: string;
  placeholders: string;
};

const TEMPLATES: readonly Template[] = [
  {
    name: 'welcome',
    field: 'welcomeTemplate',
    label: t('Welcome'),
    placeholders: '{baseUrl} {displayName} {username}',
  },
  {
    name: 'album-invite',
    field: 'albumInviteTemplate',
    label: t('Invitation to an album'),
    placeholders: '{albumId} {albumName} {baseUrl} {recipientName} {senderName}',
  },
  {
    name: 'album-update',
    field: 'albumUpdateTemplate',
    label: t('New photos in an album'),
    placeholders: '{albumId} {albumName} {baseUrl} {recipientName}',
  },
];

type TemplateProps = {
  template: Template;
  value: string;
  error: string | undefined;
  getValue: () => string;
};

function Template({ template, value, error, getValue }: TemplateProps) {
  const { name, field, label, placeholders } = template;
  const [html, setHtml] = useState<string>();
  const id = `template-${name}`;
  const preview = () =>
    void attempt(async () =>
      setHtml(withoutStyles((await previewTemplate(name, getValue())).html)),
    );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={`templates.${field}`}
        rows={4}
        maxLength={10_000}
        defaultValue={value}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
      />
      <p id={`${id}-note`} className={error ? 'field-note error' : 'field-note'}>
        {error ?? t('May contain {placeholders}', { placeholders })}
      </p>
      <button
        type="button"
        className={`button small ${styles.preview}`}
        aria-label={t('Preview of “{label}”', { label })}
        onClick={preview}
      >
        <Eye size={16} aria-hidden /> {t('Preview')}
      </button>
      {html !== undefined &&
        createPortal(
          <Dialog title={label} onClose={() => setHtml(undefined)} isWide>
            {/* No script, no form and no link of it does anything. */}
            <iframe className={styles.mailPreview} title={t('Preview')} sandbox="" srcDoc={html} />
          </Dialog>,
          // Outside of the form: the buttons of a dialog would send it.
          document.body,
        )}
    </div>
  );
}
