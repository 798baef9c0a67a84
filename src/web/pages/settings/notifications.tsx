import { useQuery } from '@tanstack/react-query';
import { attempt } from '../../ui/toast.tsx';
import type { Preferences } from '../../data/types.ts';
import { changePreferences } from '../../data/settings/preference-changes.ts';
import { preferencesQuery } from '../../data/settings/queries.ts';
import styles from '../../parts/settings/settings.module.css';
import { t } from '../../base/i18n.ts';

type Kind = keyof Preferences['notifications'];

const KINDS: readonly (readonly [Kind, string])[] = [
  ['albumInvite', t('An album is shared with me')],
  ['albumUpdate', t('New photos in shared albums')],
  ['clusterGroupRequest', t('An invitation to a group for people')],
  ['exportReady', t('An export is ready')],
  ['importFinished', t('An import has finished')],
  ['workflow', t('A workflow notifies me')],
  ['newLogin', t('New login to your account')],
  ['jobFailed', t('A job failed')],
  ['backupFailed', t('A backup failed')],
  ['diskSpace', t('The disk is almost full')],
  ['integrity', t('Files are missing or damaged')],
];

/** Switches of notifications on the page and by mail. */
export function NotificationsCard() {
  const { data } = useQuery(preferencesQuery());
  if (!data) return null;
  const { notifications, emailNotifications: mail } = data;
  const save = (change: Partial<Preferences>) => void attempt(() => changePreferences(change));
  const saveMail = (change: Partial<Preferences['emailNotifications']>) =>
    save({ emailNotifications: { ...mail, ...change } });
  return (
    <section className="card">
      <h2>{t('Notifications')}</h2>
      <fieldset className={styles.checks}>
        <legend>{t('Notify me on this page')}</legend>
        {KINDS.map(([kind, label]) => (
          <Check
            key={kind}
            label={label}
            isOn={notifications[kind]}
            onChange={(isOn) => save({ notifications: { ...notifications, [kind]: isOn } })}
          />
        ))}
      </fieldset>
      <fieldset className={styles.checks}>
        <legend>{t('Notify me by mail')}</legend>
        <Check
          label={t('Send me mail')}
          isOn={mail.enabled}
          onChange={(enabled) => saveMail({ enabled })}
        />
        <Check
          label={t('Mail when an album is shared with me')}
          isOn={mail.albumInvite}
          isOff={!mail.enabled}
          onChange={(albumInvite) => saveMail({ albumInvite })}
        />
        <Check
          label={t('Mail about new photos in shared albums')}
          isOn={mail.albumUpdate}
          isOff={!mail.enabled}
          onChange={(albumUpdate) => saveMail({ albumUpdate })}
        />
      </fieldset>
    </section>
  );
}

type CheckProps = {
  label: string;
  isOn: boolean;
  isOff?: boolean;
  onChange: (isOn: boolean) => void;
};

const Check = ({ label, isOn, isOff = false, onChange }: CheckProps) => (
  <label className="check">
    <input
      type="checkbox"
      checked={isOn}
      disabled={isOff}
      onChange={({ target }) => onChange(target.checked)}
    />{' '}
    {label}
  </label>
);
