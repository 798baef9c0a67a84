import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { requireValue } from '../../../core/required.ts';
import { mailSettingsQuery, saveMailSettings, toMailSettings } from '../../data/admin/mail-data.ts';
import { Check, ServerFields, TestButton } from '../../parts/admin/mail-server.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { MailSettingsResponse } from '../../data/types.ts';
import { Form, readValues, useForm } from '../../ui/form.tsx';
import { Failure } from '../../ui/elements.tsx';
import { StepHead } from './step-head.tsx';
import { t } from '../../base/i18n.ts';

export function MailStep() {
  const { data, error, refetch } = useQuery(mailSettingsQuery());
  return (
    <>
      <StepHead
        title={t('Send mail')}
        text={t('Mail sends invitations and notifications. It is optional.')}
      />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <MailForm settings={data} />}
    </>
  );
}

function MailForm({ settings }: { settings: MailSettingsResponse }) {
  const box = useRef<HTMLElement>(null);
  const form = useForm(async (values) => {
    await saveMailSettings({ ...toMailSettings(values), templates: settings.templates });
    showToast(t('Saved'), 'success');
  });
  const getSmtp = () => {
    const element = requireValue(box.current?.querySelector('form'), 'form of the mail server');
    return toMailSettings(readValues(element)).smtp;
  };
  return (
    <section ref={box} className="card" aria-label={t('Mail server')}>
      <Form state={form} action={t('Save')} extra={<TestButton getSmtp={getSmtp} />}>
        <Check name="smtp.enabled" label={t('Send mail')} isOn={settings.smtp.enabled} />
        <ServerFields settings={settings} form={form} />
      </Form>
    </section>
  );
}
