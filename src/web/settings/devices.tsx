import { Laptop, LogOut, Smartphone } from 'lucide-react';
import { Link } from 'wouter';
import { get, remove } from '../api.ts';
import { attempt } from '../toast.tsx';
import type { DeviceSession } from '../types.ts';
import { IconButton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';

/** Where one is logged in, and a way to end it. */
export function Devices() {
  const { data, error, reload } = useLoad(() => get<DeviceSession[]>('/sessions'));
  const others = data?.filter(({ current }) => !current) ?? [];
  const end = (id: string) =>
    void attempt(() => remove(`/sessions/${id}`), 'Device logged out').then(reload);
  return (
    <section className="card">
      <h2>Devices</h2>
      {error && <p role="alert">{error}</p>}
      <ul className="people">
        {data?.map((device) => {
          const isPhone = /android|ios|iphone|mobile/i.test(
            `${device.deviceOS} ${device.deviceType}`,
          );
          const Icon = isPhone ? Smartphone : Laptop;
          const name =
            [device.deviceType, device.deviceOS].filter(Boolean).join(' on ') || 'Unknown device';
          return (
            <li key={device.id}>
              <Icon size={22} strokeWidth={1.5} aria-hidden />
              <span className="person-name">
                {name} {device.current && <span className="tag">this one</span>}
                <small>last seen {new Date(device.updatedAt).toLocaleString()}</small>
              </span>
              {!device.current && (
                <IconButton
                  icon={LogOut}
                  label={`Log out ${name}`}
                  onClick={() => end(device.id)}
                />
              )}
            </li>
          );
        })}
      </ul>
      <Link href="/backup" className="button">
        <Smartphone size={18} aria-hidden /> Backup devices
      </Link>
      {others.length > 0 && (
        <button
          className="button"
          onClick={() =>
            void attempt(() => remove('/sessions'), 'All other devices logged out').then(reload)
          }
        >
          Log out all others
        </button>
      )}
    </section>
  );
}
