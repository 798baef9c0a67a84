import { Ellipsis, LogOut } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Link } from 'wouter';
import { NotificationsEntry, UnreadDot } from '../notifications/bell.tsx';
import { PinList } from '../pins/side-pins.tsx';
import { logOut } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { Entry } from './shell.tsx';
import styles from './shell.module.css';
import { t } from '../i18n.ts';

type Props = {
  entries: readonly Entry[];
  here: Entry | undefined;
};

/** On a phone: what the bar has no room for, and what is pinned. */
export function MoreButton({ entries, here }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button
        className={styles.navLink}
        aria-haspopup="dialog"
        aria-current={here && entries.includes(here) ? 'page' : undefined}
        onClick={() => setOpen(true)}
      >
        <UnreadDot>
          <Ellipsis size={20} aria-hidden strokeWidth={1.75} />
        </UnreadDot>
        <span>{t('More')}</span>
      </button>
      {isOpen &&
        createPortal(
          <Dialog title={t('More')} onClose={close}>
            <div className={styles.moreSheet}>
              <PinList onChoose={close} />
              <ul className={styles.moreEntries}>
                {entries.map((entry) => {
                  const { path, label, icon: Icon } = entry;
                  return (
                    <li key={path}>
                      <Link
                        href={path}
                        className={styles.navLink}
                        aria-current={entry === here ? 'page' : undefined}
                        onClick={close}
                      >
                        <Icon size={22} aria-hidden strokeWidth={1.75} />
                        <span>{label}</span>
                      </Link>
                    </li>
                  );
                })}
                <li>
                  <NotificationsEntry className={styles.navLink} onChoose={close} />
                </li>
                <li>
                  <button className={styles.navLink} onClick={() => void logOut()}>
                    <LogOut size={22} aria-hidden strokeWidth={1.75} />
                    <span>{t('Log out')}</span>
                  </button>
                </li>
              </ul>
            </div>
          </Dialog>,
          // Beside the bar: its rules are not for what is in here.
          document.body,
        )}
    </>
  );
}
