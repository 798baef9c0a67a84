import { LogOut } from 'lucide-react';
import { useLocation } from 'wouter';
import { logOut } from '../data/session/session.ts';
import type { Me } from '../data/types.ts';
import { Avatar } from '../ui/elements.tsx';
import { Menu } from '../ui/menu.tsx';
import { SETTINGS } from './entries.ts';
import styles from './shell.module.css';
import { t } from '../base/i18n.ts';

/** Who is signed in, the settings and the way out. */
export function AccountMenu({ me }: { me: Me }) {
  const [, navigate] = useLocation();
  return (
    <Menu
      label={t('Account')}
      face={<Avatar name={me.name} />}
      head={
        <p className={styles.who}>
          <b>{me.name}</b>
          <small>{me.email}</small>
        </p>
      }
      entries={[
        { icon: SETTINGS.icon, label: SETTINGS.label, run: () => navigate(SETTINGS.path) },
        { icon: LogOut, label: t('Log out'), run: () => void logOut() },
      ]}
    />
  );
}
