import { t } from 'elysia';
import { NOTIFICATION_LEVELS, NOTIFICATION_TYPES } from '../../db/tables/notifications.ts';
import { InputTimestamp, QueryFlag, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const NotificationLevel = stringEnum(NOTIFICATION_LEVELS, { title: 'NotificationLevel' });
const NotificationType = stringEnum(NOTIFICATION_TYPES, { title: 'NotificationType' });

export const NotificationsQuery = t.Object({
  id: t.Optional(Uuid),
  level: t.Optional(NotificationLevel),
  type: t.Optional(NotificationType),
  unread: QueryFlag,
});
export type NotificationsFilter = typeof NotificationsQuery.static;

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
export type Notification = typeof NotificationDto.static;

const ReadAt = t.Optional(t.Nullable(InputTimestamp));
/** Every id is looked up: as many as other lists of ids take. */
const Ids = t.Array(Uuid, { minItems: 1, maxItems: 65_000 });

export const NotificationUpdateDto = t.Object(
  { readAt: ReadAt },
  { title: 'NotificationUpdateDto' },
);
export const NotificationUpdateAllDto = t.Object(
  { ids: Ids, readAt: ReadAt },
  { title: 'NotificationUpdateAllDto' },
);
export const NotificationDeleteAllDto = t.Object(
  { ids: Ids },
  { title: 'NotificationDeleteAllDto' },
);

export const NotificationCreateDto = t.Object(
  {
    data: t.Optional(t.Record(t.String(), t.Unknown())),
    description: t.Optional(t.Nullable(t.String())),
    level: t.Optional(NotificationLevel),
    readAt: ReadAt,
    title: t.String(),
    type: t.Optional(NotificationType),
    userId: Uuid,
  },
  { title: 'NotificationCreateDto' },
);
export type NotificationCreate = typeof NotificationCreateDto.static;
