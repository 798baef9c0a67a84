import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { formatBytes, formatInstant, formatList, formatNumber } from '../../base/format.ts';
import { showToast } from '../../ui/toast.tsx';
import type { Config, Machine } from '../../data/types.ts';
import { Form, useForm } from '../../ui/form.tsx';
import { configQuery, saveChanges } from '../../data/admin/config/queries.ts';
import { machineQuery } from '../../data/admin/queries.ts';
import { describeZone } from '../../data/admin/zone-data.ts';
import styles from './about.module.css';
import { t } from '../../base/i18n.ts';

type Profile = Machine['profile'];

const PROFILES: Readonly<Record<Profile, { name: string; effects: string }>> = {
  small: {
    name: t('Small, below 3 GB'),
    effects: t(
      'Photos are processed one at a time, and recognition is off. If you switch it on, its models share 512 MB.',
    ),
  },
  medium: {
    name: t('Medium, about 4 GB'),
    effects: t(
      'Several photos are worked on at a time. The models of recognition take turns in 512 MB.',
    ),
  },
  large: {
    name: t('Large, from 6 GB on'),
    effects: t(
      'Several photos are worked on at a time. The models of recognition stay in memory, in 1 GB.',
    ),
  },
};

/** The kind of the machine, which may be changed, and the certificate of HTTPS. */
export function MachineCard() {
  const { data: machine } = useQuery(machineQuery());
  const { data: config } = useQuery(configQuery());
  if (!machine || !config) return null;
  const { memoryBytes, cores, timeZone, certificate } = machine;
  return (
    <>
      <section className="card" aria-labelledby="machine">
        <h2 id="machine">{t('Machine')}</h2>
        {!machine.state.isWell && <p role="alert">{machine.state.text}</p>}
        <Facts
          facts={[
            [t('Memory (RAM)'), formatBytes(memoryBytes)],
            [t('Processor cores'), formatNumber(cores)],
            [t('Time zone'), describeZone(timeZone)],
          ]}
        />
        <ProfileChoice machine={machine} chosen={config.machine.profile} />
      </section>
      <section className="card" aria-labelledby="https">
        <h2 id="https">{t('HTTPS')}</h2>
        {certificate ? <Certificate certificate={certificate} /> : <NoCertificate />}
      </section>
    </>
  );
}

type Facts = readonly (readonly [name: string, value: string])[];

const Facts = ({ facts }: { facts: Facts }) => (
  <dl className={styles.versions}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

type ChoiceProps = { machine: Machine; chosen: Config['machine']['profile'] };

function ProfileChoice({ machine, chosen }: ChoiceProps) {
  const id = useId();
  const { detectedProfile, isRestartNeeded } = machine;
  const form = useForm(async (values) => {
    await saveChanges('/admin/config/safelight', { 'machine.profile': values['profile'] });
    showToast(t('Saved'), 'success');
  });
  return (
    <Form state={form} action={t('Save')}>
      <div className="field">
        <label htmlFor={id}>{t('Profile')}</label>
        <select id={id} name="profile" aria-describedby={`${id}-effects`} defaultValue={chosen}>
          <option value="auto">
            {t('By its memory: {profile}', { profile: PROFILES[detectedProfile].name })}
          </option>
          {Object.entries(PROFILES).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <ul id={`${id}-effects`} className={styles.effects}>
        {Object.values(PROFILES).map(({ name, effects }) => (
          <li key={name}>
            <b>{name}</b> {effects}
          </li>
        ))}
      </ul>
      {isRestartNeeded && (
        <p role="status">{t('Restart the server: then the models use their new memory.')}</p>
      )}
    </Form>
  );
}

function Certificate({ certificate }: { certificate: NonNullable<Machine['certificate']> }) {
  const { fingerprint, names, issuer, expiresAt, isSelfSigned } = certificate;
  return (
    <>
      {isSelfSigned && (
        <p className="muted">
          {t(
            'The server has signed its certificate itself: browsers ask once whether to trust it. Compare the fingerprint.',
          )}
        </p>
      )}
      <Facts
        facts={[
          [t('Fingerprint (SHA-256)'), fingerprint],
          [t('Valid until'), formatInstant(expiresAt)],
          [t('For'), formatList(names)],
          [t('Issued by'), issuer],
        ]}
      />
    </>
  );
}

const NoCertificate = () => (
  <p className="muted">
    {t(
      'This server has no certificate: it is reached by HTTP, or by a proxy that adds HTTPS. --https self-signed switches it on.',
    )}
  </p>
);
