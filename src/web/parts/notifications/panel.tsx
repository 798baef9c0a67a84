import {
  BellOff,
  Check,
  CheckCheck,
  CheckCircle2,
  CircleAlert,
  Info,
  type LucideIcon,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { Link } from 'wouter';
import { formatAgo } from '../../base/format.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Notification } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, Failure, IconButton } from '../../ui/elements.tsx';
import { describeNotification } from './describe.ts';
import {
  deleteNotifications,
  markRead,
  useNotifications,
} from '../../data/notifications/queries.ts';
import styles from './notifications.module.css';
import { t } from '../../base/i18n.ts';

/** The notifications of the account, newest first. */
export function Panel({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useNotifications();
  const unread = (data ?? []).filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
  return (
    <Dialog title={t('Notifications')} onClose={onClose}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <div className={styles.none}>
          <Empty
            icon={BellOff}
            title={t('No notifications')}
            text={t('News about your albums and your library appears here.')}
          />
        </div>
      )}
      {unread.length > 0 && (
        <button
          className={`button small ${styles.all}`}
          onClick={() => void attempt(() => markRead(unread))}
        >
          <CheckCheck size={16} aria-hidden /> {t('Mark all as read')}
        </button>
      )}
      <ul className={styles.list} aria-label={t('Notifications')}>
        {data?.map((notification) => (
          <li key={notification.id}>
            <Row notification={notification} onClose={onClose} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const ICONS: Record<Notification['level'], LucideIcon> = {
  success: CheckCircle2,
  error: CircleAlert,
  warning: TriangleAlert,
  info: Info,
};

function Row({ notification, onClose }: { notification: Notification; onClose: () => void }) {
  const { id, level, readAt, createdAt } = notification;
  const { title, text, href } = describeNotification(notification);
  const Icon = ICONS[level];
  const isUnread = readAt === undefined;
  const setRead = () => void attempt(() => markRead([id]));
  return (
    <div className={styles.row} data-level={level} data-unread={isUnread || undefined}>
      <Icon size={20} aria-hidden />
      <div className={styles.words}>
        {isUnread && <span className="hidden-title">{t('Unread:')} </span>}
        {href ? (
          <Link
            href={href}
            onClick={() => {
              if (isUnread) setRead();
              onClose();
            }}
          >
            {title}
          </Link>
        ) : (
          <strong>{title}</strong>
        )}
        {text && <p>{text}</p>}
        <small>{formatAgo(createdAt)}</small>
      </div>
      {isUnread && (
        <IconButton icon={Check} label={t('Mark as read')} className="small" onClick={setRead} />
      )}
      <IconButton
        icon={Trash2}
        label={t('Delete')}
        className="small"
        onClick={() => void attempt(() => deleteNotifications([id]))}
      />
    </div>
  );
}
