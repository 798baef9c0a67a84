import { Bell as BellIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { lazyComponent } from '../../ui/lazy.tsx';
import { createPersonalStore, useStore } from '../../base/store.ts';
import { useUnreadCount } from '../../data/notifications/queries.ts';
import styles from './notifications.module.css';
import { t } from '../../base/i18n.ts';

const Panel = lazyComponent(() => import('./panel.tsx').then((module) => module.Panel));

const isOpen = createPersonalStore(false);

const describeUnread = (count: number): string =>
  count > 0
    ? t('Notifications, {count, plural, one {# unread} other {# unread}}', { count })
    : t('Notifications');

/** The number of unread notifications on a bell that opens them. */
export function Bell() {
  const count = useUnreadCount();
  return (
    <button
      className={`icon-button ${styles.bell}`}
      aria-haspopup="dialog"
      aria-label={describeUnread(count)}
      title={t('Notifications')}
      onPointerEnter={Panel.preload}
      onClick={() => isOpen.set(true)}
    >
      <BellIcon size={19} aria-hidden />
      {count > 0 && (
        <span className={styles.badge} aria-hidden>
          {count > 99 ? '99+' : count}
        </span>
      )}
    </button>
  );
}

/** On a phone: the way to the notifications among the entries that the bar has no room for. */
export function NotificationsEntry({
  className,
  onChoose,
}: {
  className: string | undefined;
  onChoose: () => void;
}) {
  const count = useUnreadCount();
  return (
    <button
      className={className}
      aria-label={describeUnread(count)}
      onClick={() => {
        onChoose();
        isOpen.set(true);
      }}
    >
      <UnreadDot>
        <BellIcon size={22} aria-hidden strokeWidth={1.75} />
      </UnreadDot>
      <span>{t('Notifications')}</span>
    </button>
  );
}

/** Marks an icon while there are unread notifications. */
export function UnreadDot({ children }: { children: ReactNode }) {
  const count = useUnreadCount();
  return (
    <span className={styles.marked}>
      {children}
      {count > 0 && <i aria-hidden />}
    </span>
  );
}

export function NotificationPanel() {
  return useStore(isOpen) && <Panel onClose={() => isOpen.set(false)} />;
}
