import { Ellipsis, LogOut } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { NotificationsEntry, UnreadDot } from '../parts/notifications/bell.tsx';
import { PinList } from './side-pins.tsx';
import { logOut } from '../data/session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ADMINISTRATION, type Entry, GROUPS, HELP, PHONE_BAR, SETTINGS } from './entries.ts';
import { LimitedNavItems, NavItems } from './navigation.tsx';
import { toPartnerGroups, usePartnerEntries } from './partner-entries.ts';
import styles from './shell.module.css';
import { t } from '../base/i18n.ts';

type Props = { here: Entry | undefined; isAdmin: boolean };

/** On a phone: the most used pages, and a button for all others. */
export function PhoneBar({ here, isAdmin }: Props) {
  const isInBar = PHONE_BAR.some(({ path }) => path === here?.path);
  return (
    <nav className={styles.phoneBar} aria-label={t('Main')}>
      <ul>
        <NavItems entries={PHONE_BAR} here={here} />
        <li>
          <MoreButton here={here} isAdmin={isAdmin} isHere={here !== undefined && !isInBar} />
        </li>
      </ul>
    </nav>
  );
}

/** Opens what the bar has no room for, and what is pinned. */
function MoreButton({ here, isAdmin, isHere }: Props & { isHere: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const partners = usePartnerEntries();
  const isElsewhere = ({ path }: Entry) => !PHONE_BAR.some((entry) => entry.path === path);
  return (
    <>
      <button
        className={styles.navLink}
        aria-haspopup="dialog"
        aria-current={isHere ? 'page' : undefined}
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
              {toPartnerGroups(partners).map(({ id, label, entries }) => (
                <section key={id}>
                  <h3>{label}</h3>
                  <ul className={styles.moreEntries}>
                    <LimitedNavItems entries={entries} here={here} onChoose={close} />
                  </ul>
                </section>
              ))}
              {GROUPS.map(({ id, label, entries }) => (
                <section key={id}>
                  <h3>{label}</h3>
                  <ul className={styles.moreEntries}>
                    <NavItems entries={entries.filter(isElsewhere)} here={here} onChoose={close} />
                  </ul>
                </section>
              ))}
              <ul className={styles.moreEntries}>
                <NavItems
                  entries={[...(isAdmin ? [ADMINISTRATION] : []), HELP, SETTINGS]}
                  here={here}
                  onChoose={close}
                />
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
