import { t } from 'elysia';
import { MAX_INT32 } from '../../http/schemas.ts';
import {
  AssetOrder,
  FILTER_ENABLED,
  forEachKind,
  LockedContentRuleDto,
} from './preferences.schemas.ts';
import { AvatarColor } from './schemas.ts';

const AlbumsUpdate = t.Object(
  {
    defaultAssetOrder: t.Optional(AssetOrder),
  },
  { title: 'AlbumsUpdate' },
);

const AvatarUpdate = t.Object(
  {
    color: t.Optional(AvatarColor),
  },
  { title: 'AvatarUpdate' },
);

const CastUpdate = t.Object(
  {
    gCastEnabled: t.Optional(t.Boolean()),
  },
  { title: 'CastUpdate' },
);

const DownloadUpdate = t.Object(
  {
    archiveSize: t.Optional(t.Integer({ minimum: 1 })),
    includeEmbeddedVideos: t.Optional(t.Boolean()),
  },
  { title: 'DownloadUpdate' },
);

const EmailNotificationsUpdate = t.Object(
  {
    albumInvite: t.Optional(t.Boolean()),
    albumUpdate: t.Optional(t.Boolean()),
    enabled: t.Optional(t.Boolean()),
  },
  { title: 'EmailNotificationsUpdate' },
);

const FoldersUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'FoldersUpdate' },
);

const MemoriesUpdate = t.Object(
  {
    duration: t.Optional(t.Integer({ minimum: 1 })),
    enabled: t.Optional(t.Boolean()),
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'MemoriesUpdate' },
);

const NotificationsUpdate = t.Object(forEachKind(t.Optional(t.Boolean())), {
  title: 'NotificationPreferencesUpdate',
});

const PeopleUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
    minimumFaces: t.Optional(t.Integer({ minimum: 1, maximum: MAX_INT32 })),
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'PeopleUpdate' },
);

const PurchaseUpdate = t.Object(
  {
    hideBuyButtonUntil: t.Optional(t.String()),
    showSupportBadge: t.Optional(t.Boolean()),
  },
  { title: 'PurchaseUpdate' },
);

const RatingsUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
  },
  { title: 'RatingsUpdate' },
);

const RecentlyAddedUpdate = t.Object(
  {
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'RecentlyAddedUpdate' },
);

const SharedLinksUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'SharedLinksUpdate' },
);

const TagsUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
    sidebarWeb: t.Optional(t.Boolean()),
  },
  { title: 'TagsUpdate' },
);

const LockedContentUpdateDto = t.Object(
  {
    filterEnabled: t.Optional(t.Boolean({ description: FILTER_ENABLED })),
    rules: t.Optional(t.Array(LockedContentRuleDto, { maxItems: 1000 })),
  },
  { title: 'LockedContentUpdateDto' },
);

export const UserPreferencesUpdateDto = t.Object(
  {
    albums: t.Optional(AlbumsUpdate),
    avatar: t.Optional(AvatarUpdate),
    cast: t.Optional(CastUpdate),
    download: t.Optional(DownloadUpdate),
    emailNotifications: t.Optional(EmailNotificationsUpdate),
    folders: t.Optional(FoldersUpdate),
    memories: t.Optional(MemoriesUpdate),
    notifications: t.Optional(NotificationsUpdate),
    people: t.Optional(PeopleUpdate),
    purchase: t.Optional(PurchaseUpdate),
    ratings: t.Optional(RatingsUpdate),
    recentlyAdded: t.Optional(RecentlyAddedUpdate),
    sharedLinks: t.Optional(SharedLinksUpdate),
    tags: t.Optional(TagsUpdate),
    lockedContent: t.Optional(LockedContentUpdateDto),
  },
  // Unknown groups reach the domain, which refuses them.
  { title: 'UserPreferencesUpdateDto', additionalProperties: true },
);

export type UserPreferencesUpdate = typeof UserPreferencesUpdateDto.static;
