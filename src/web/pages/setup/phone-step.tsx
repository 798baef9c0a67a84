import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { configQuery, saveChanges } from '../../data/admin/config/queries.ts';
import { showToast } from '../../ui/toast.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { isReachable, toServerAddress } from '../../parts/setup/address.ts';
import { AddressCode, AppLinks } from '../../parts/setup/phone-app.tsx';
import { StepHead } from './step-head.tsx';
import styles from '../../parts/setup/setup.module.css';
import { t } from '../../base/i18n.ts';

/** Connects the app of Immich, which works with this server. */
export function PhoneStep() {
  const { data } = useQuery(configQuery());
  return (
    <>
      <StepHead
        title={t('Back up your phone')}
        text={t('The Immich app uploads new photos of a phone automatically.')}
      />
      {data && <Connection externalDomain={data.server.externalDomain} />}
    </>
  );
}

function Connection({ externalDomain }: { externalDomain: string }) {
  const [typed, setTyped] = useState(externalDomain || location.origin);
  const address = toServerAddress(typed);
  const form = useForm(async () => {
    await saveChanges('/admin/config', { 'server.externalDomain': address });
    showToast(t('Saved'), 'success');
  });
  return (
    <ol className={styles.guide}>
      <li className="card">
        <h2>{t('Install the app')}</h2>
        <AppLinks />
      </li>
      <li className="card">
        <h2>{t('Enter the address of this server in it')}</h2>
        <Form
          state={form}
          action={t('Use it in links and mail too')}
          isOff={!address || address === externalDomain}
        >
          <Field
            label={t('Address')}
            name="server.externalDomain"
            type="url"
            required
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            hint={t(
              'The address at which the phone reaches this server, at home or from anywhere.',
            )}
            error={form.fields['server.externalDomain'] ?? describeFault(typed, address)}
          />
        </Form>
        {address && <AddressCode address={address} />}
      </li>
      <li className="card">
        <h2>{t('Log in and choose the albums to back up')}</h2>
        <p className="muted">{t('With the email address and password of your account.')}</p>
      </li>
    </ol>
  );
}

function describeFault(typed: string, address: string | undefined): string | undefined {
  if (!address)
    return typed.trim() ? t('Not a valid address. Example: http://192.168.1.2:2283') : undefined;
  if (isReachable(address)) return undefined;
  return t('A phone cannot reach this address: enter the host name or IP address of this server.');
}
