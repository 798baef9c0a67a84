import { useQuery } from '@tanstack/react-query';
import { Laptop, LogOut, Smartphone } from 'lucide-react';
import { Link } from 'wouter';
import { attempt } from '../../ui/toast.tsx';
import { IconButton } from '../../ui/elements.tsx';
import {
  devicesQuery,
  logOutDevice,
  logOutOtherDevices,
} from '../../data/settings/access-queries.ts';
import { t } from '../../base/i18n.ts';
import { formatInstant } from '../../base/format.ts';
import { getDeviceName } from './device-name.ts';

/** Where one is logged in, and a way to end it. */
export function Devices() {
  const { data, error } = useQuery(devicesQuery());
  const others = data?.filter(({ current }) => !current) ?? [];
  return (
    <section className="card">
      <h2>{t('Devices')}</h2>
      {error && <p role="alert">{error.message}</p>}
      <ul className="people">
        {data?.map((device) => {
          const isPhone = /android|ios|iphone|mobile/i.test(
            `${device.deviceOS} ${device.deviceType}`,
          );
          const Icon = isPhone ? Smartphone : Laptop;
          const name = getDeviceName(device) || t('Unknown device');
          return (
            <li key={device.id}>
              <Icon size={22} strokeWidth={1.5} aria-hidden />
              <span className="person-name">
                {name} {device.current && <span className="tag">{t('this one')}</span>}
                <small>{t('last seen {when}', { when: formatInstant(device.updatedAt) })}</small>
              </span>
              {!device.current && (
                <IconButton
                  icon={LogOut}
                  label={t('Log out {name}', { name })}
                  onClick={() =>
                    void attempt(() => logOutDevice(device.id), t('Device logged out'))
                  }
                />
              )}
            </li>
          );
        })}
      </ul>
      <Link href="/backup" className="button">
        <Smartphone size={18} aria-hidden /> {t('Backup devices')}
      </Link>
      {others.length > 0 && (
        <button
          className="button"
          onClick={() => void attempt(logOutOtherDevices, t('All other devices logged out'))}
        >
          {t('Log out all others')}
        </button>
      )}
    </section>
  );
}
