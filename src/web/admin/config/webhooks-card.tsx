import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { showToast } from '../../toast.tsx';
import type { SafelightConfig } from '../../types.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { ownConfigQuery, saveOwnConfig } from './queries.ts';
import { t } from '../../i18n.ts';

/** Where workflows may send webhooks to. */
export function WebhooksCard() {
  const { data } = useQuery(ownConfigQuery());
  return data ? <WebhooksForm key={data.webhooks.hosts.join()} config={data} /> : null;
}

function WebhooksForm({ config }: { config: SafelightConfig }) {
  const id = useId();
  const form = useForm(async (values, element) => {
    const hosts = (values['webhooks.hosts'] ?? '').split(/[\s,]+/).filter(Boolean);
    const secret = values['webhooks.secret'] ?? '';
    await saveOwnConfig({ ...config, webhooks: { hosts, secret } });
    const field = element.elements.namedItem('webhooks.secret');
    if (field instanceof HTMLInputElement) field.value = '';
    showToast(t('Saved'), 'success');
  });
  return (
    <section className="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t('Webhooks')}</h2>
      <p className="muted">{t('Workflows of all accounts can send only to these hosts.')}</p>
      <Form state={form} action={t('Save')}>
        <div className="field">
          <label htmlFor={id}>{t('Hosts, one per line')}</label>
          <textarea
            id={id}
            name="webhooks.hosts"
            rows={4}
            spellCheck={false}
            defaultValue={config.webhooks.hosts.join('\n')}
            aria-describedby={`${id}-note`}
          />
          <p id={`${id}-note`} className="field-note">
            {t(
              'Names, addresses or networks. Private addresses, as 192.168.1.0/24, are listed even if a name leads there.',
            )}
          </p>
        </div>
        <Field
          name="webhooks.secret"
          label={t('Secret that signs them')}
          type="password"
          autoComplete="new-password"
          hint={t('At least 16 characters. Leave empty to keep the one it has.')}
          error={form.fields['webhooks.secret']}
        />
      </Form>
    </section>
  );
}
