import { useQuery } from '@tanstack/react-query';
import { Monitor, Moon, Sun } from 'lucide-react';
import { changePassword, logOut, rename } from '../../data/session/session.ts';
import { ApiError } from '../../base/api.ts';
import { useStore } from '../../base/store.ts';
import { chooseTheme, type Theme, theme, THEMES } from '../../base/theme.ts';
import { showToast } from '../../ui/toast.tsx';
import type { Me } from '../../data/types.ts';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Page } from '../../ui/elements.tsx';
import { Sections } from '../../ui/sections.tsx';
import { PhoneAppButton } from '../../parts/setup/phone-app-button.tsx';
import { NewPasswordFields } from '../../parts/session/new-password-fields.tsx';
import { ArchiveAll } from '../../parts/archive/archive-all.tsx';
import { WhatCanGo } from '../../parts/large/what-can-go.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Devices } from './devices.tsx';
import { LanguageSelect } from '../../parts/settings/language-select.tsx';
import { LoginProvider } from './login-provider.tsx';
import { NotificationsCard } from './notifications.tsx';
import { ClusterGroup } from './cluster-group.tsx';
import { Partners } from './partners.tsx';
import { PinSettings } from './pin.tsx';
import { PreferencesCard } from './preferences.tsx';
import { aboutQuery } from '../../data/settings/queries.ts';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';

export const SettingsPage = ({ me }: { me: Me }) => (
  <Page title={t('Settings')}>
    <Sections sections={SECTIONS}>
      <div id="look" className={styles.group}>
        <Appearance />
        <Language />
      </div>
      <div id="account" className={styles.group}>
        <Account me={me} />
        <Password />
        <LoginProvider me={me} />
        <PinSettings />
      </div>
      <div id="devices" className={styles.group}>
        <Phone />
        <Devices />
      </div>
      <div id="preferences" className={styles.group}>
        <PreferencesCard />
      </div>
      <div id="notifications" className={styles.group}>
        <NotificationsCard />
      </div>
      <div id="sharing" className={styles.group}>
        <Partners myId={me.id} />
        <ClusterGroup myId={me.id} />
      </div>
      <div id="space" className={styles.group}>
        <WhatCanGo />
        <ArchiveAll />
      </div>
      <div id="programs" className={styles.group}>
        <ApiKeys />
        <About />
      </div>
    </Sections>
  </Page>
);

const SECTIONS = [
  { id: 'look', title: t('Appearance and language') },
  { id: 'account', title: t('Account and security') },
  { id: 'devices', title: t('Phone and devices') },
  { id: 'preferences', title: t('Preferences') },
  { id: 'notifications', title: t('Notifications') },
  { id: 'sharing', title: t('Sharing') },
  { id: 'space', title: t('Space and order') },
  { id: 'programs', title: t('API keys and version') },
];

const LOOKS: Record<Theme, { label: string; icon: typeof Sun }> = {
  system: { label: t('Match system'), icon: Monitor },
  light: { label: t('Light'), icon: Sun },
  dark: { label: t('Dark'), icon: Moon },
};

function Language() {
  return (
    <section className="card">
      <h2 id="language">{t('Language')}</h2>
      <LanguageSelect labelledBy="language" />
    </section>
  );
}

function Appearance() {
  const chosen = useStore(theme);
  return (
    <section className="card">
      <fieldset className={styles.choices}>
        <legend>
          <h2>{t('Appearance')}</h2>
        </legend>
        {THEMES.map((name) => {
          const { label, icon: Icon } = LOOKS[name];
          return (
            <label
              key={name}
              className={chosen === name ? `${styles.choice} ${styles.on}` : styles.choice}
            >
              <input
                type="radio"
                name="theme"
                checked={chosen === name}
                onChange={() => chooseTheme(name)}
              />
              <Icon size={20} aria-hidden /> {label}
            </label>
          );
        })}
      </fieldset>
    </section>
  );
}

function Account({ me }: { me: Me }) {
  const form = useForm(async (values) => {
    await rename(values['name'] ?? '', values['email'] ?? '');
    showToast(t('Saved'), 'success');
  });
  return (
    <section className="card">
      <h2>{t('Account')}</h2>
      <Form
        state={form}
        action={t('Save')}
        extra={
          <button type="button" className="button" onClick={() => void logOut()}>
            {t('Log out')}
          </button>
        }
      >
        <Field
          label={t('Name')}
          name="name"
          required
          defaultValue={me.name}
          autoComplete="name"
          error={form.fields['name']}
        />
        <Field
          label={t('Email')}
          name="email"
          type="email"
          required
          defaultValue={me.email}
          autoComplete="email"
          error={form.fields['email']}
        />
      </Form>
    </section>
  );
}

function Password() {
  const form = useForm(async (values, element) => {
    if (values['password'] !== values['again']) {
      throw new ApiError(400, '', { again: t('The two passwords are not the same.') });
    }
    await changePassword(values['old'] ?? '', values['password'] ?? '', values['others'] === 'on');
    element.reset();
    showToast(t('Password changed'), 'success');
  });
  return (
    <section className="card">
      <h2>{t('Password')}</h2>
      <Form state={form} action={t('Change password')}>
        <Field
          label={t('Current password')}
          name="old"
          type="password"
          required
          autoComplete="current-password"
        />
        <NewPasswordFields fields={form.fields} />
        <label className="check">
          <input type="checkbox" name="others" defaultChecked /> {t('Log out all other devices')}
        </label>
      </Form>
    </section>
  );
}

function Phone() {
  return (
    <section className="card">
      <h2>{t('Phone')}</h2>
      <p className="muted">{t('The Immich app uploads new photos of a phone automatically.')}</p>
      <PhoneAppButton />
    </section>
  );
}

function About() {
  const { data } = useQuery(aboutQuery());
  return (
    <section className="card">
      <h2>{t('About')}</h2>
      <p className="muted">
        {data?.build ?? 'Safelight'}
        {data && t(', supports version {version} of the API', { version: data.version })}
      </p>
      <p>
        <a href="/api/docs">{t('API documentation')}</a>
      </p>
    </section>
  );
}
