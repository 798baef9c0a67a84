import { t } from 'elysia';
import { stringEnum, QueryFlag, Timestamp, Uuid } from '../../http/schemas.ts';

const NotificationLevel = stringEnum(['success', 'error', 'warning', 'info'], {
  title: 'NotificationLevel',
});
const NotificationType = stringEnum(
  [
    'JobFailed',
    'BackupFailed',
    'SystemMessage',
    'AlbumInvite',
    'AlbumUpdate',
    'ClusterGroupRequest',
    'Custom',
  ],
  { title: 'NotificationType' },
);

export const NotificationsQuery = t.Object({
  id: t.Optional(Uuid),
  level: t.Optional(NotificationLevel),
  type: t.Optional(NotificationType),
  unread: QueryFlag,
});

export const NotificationDto = t.Object(
  {
    createdAt: Timestamp,
    data: t.Optional(t.Record(t.String(), t.Unknown())),
    description: t.Optional(t.String()),
    id: Uuid,
    level: NotificationLevel,
    readAt: t.Optional(Timestamp),
    title: t.String(),
    type: NotificationType,
  },
  { title: 'NotificationDto' },
);
