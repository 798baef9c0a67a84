import { useQuery } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { requireValue } from '../../../core/required.ts';
import { attempt, showToast } from '../../ui/toast.tsx';
import type { MailSettingsResponse } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, readValues, useForm } from '../../ui/form.tsx';
import { Failure, Page } from '../../ui/elements.tsx';
import {
  type MailTemplateName,
  mailSettingsQuery,
  previewTemplate,
  saveMailSettings,
  toMailSettings,
  withoutStyles,
} from '../../data/admin/mail-data.ts';
import { Check, ServerFields, TestButton } from '../../parts/admin/mail-server.tsx';
import styles from '../../parts/admin/admin.module.css';
import { t } from '../../base/i18n.ts';

/** How this server sends mail, and its texts. */
export function MailPage() {
  const { data, error, refetch } = useQuery(mailSettingsQuery());
  return (
    <Page title={t('Mail')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <MailForm settings={data} />}
    </Page>
  );
}

function MailForm({ settings }: { settings: MailSettingsResponse }) {
  const box = useRef<HTMLDivElement>(null);
  const form = useForm(async (values, element) => {
    await saveMailSettings(toMailSettings(values));
    const password = element.elements.namedItem('smtp.transport.password');
    if (password instanceof HTMLInputElement) password.value = '';
    showToast(t('Saved'), 'success');
  });
  const getValues = () =>
    readValues(requireValue(box.current?.querySelector('form'), 'form of the mail'));
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
          <p className="muted">{t('Leave a text empty to use the default.')}</p>
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
