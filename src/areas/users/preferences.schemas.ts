import { t, type TSchema } from 'elysia';
import { isMonthDay } from '../../core/dates.ts';
import { expected, stringEnum, Uuid } from '../../http/schemas.ts';
import { AvatarColor } from './schemas.ts';

const AssetOrder = stringEnum(['asc', 'desc'], { title: 'AssetOrder' });
const LockedContentRuleKind = stringEnum(['person', 'pet', 'tag', 'album', 'date'], {
  title: 'LockedContentRuleKind',
});

const AlbumsResponse = t.Object(
  {
    defaultAssetOrder: AssetOrder,
  },
  { title: 'AlbumsResponse' },
);

const CastResponse = t.Object(
  {
    gCastEnabled: t.Boolean(),
  },
  { title: 'CastResponse' },
);

const DownloadResponse = t.Object(
  {
    archiveSize: t.Integer(),
    includeEmbeddedVideos: t.Boolean(),
  },
  { title: 'DownloadResponse' },
);

const EmailNotificationsResponse = t.Object(
  {
    albumInvite: t.Boolean(),
    albumUpdate: t.Boolean(),
    enabled: t.Boolean(),
  },
  { title: 'EmailNotificationsResponse' },
);

const FoldersResponse = t.Object(
  {
    enabled: t.Boolean(),
    sidebarWeb: t.Boolean(),
  },
  { title: 'FoldersResponse' },
);

const MemoriesResponse = t.Object(
  {
    duration: t.Integer(),
    enabled: t.Boolean(),
    sidebarWeb: t.Boolean(),
  },
  { title: 'MemoriesResponse' },
);

const PeopleResponse = t.Object(
  {
    enabled: t.Boolean(),
    minimumFaces: t.Optional(t.Integer({ minimum: 1 })),
    sidebarWeb: t.Boolean(),
  },
  { title: 'PeopleResponse' },
);

const PurchaseResponse = t.Object(
  {
    hideBuyButtonUntil: t.String(),
    showSupportBadge: t.Boolean(),
  },
  { title: 'PurchaseResponse' },
);

const RatingsResponse = t.Object(
  {
    enabled: t.Boolean(),
  },
  { title: 'RatingsResponse' },
);

const RecentlyAddedResponse = t.Object(
  {
    sidebarWeb: t.Boolean(),
  },
  { title: 'RecentlyAddedResponse' },
);

const SharedLinksResponse = t.Object(
  {
    enabled: t.Boolean(),
    sidebarWeb: t.Boolean(),
  },
  { title: 'SharedLinksResponse' },
);

const TagsResponse = t.Object(
  {
    enabled: t.Boolean(),
    sidebarWeb: t.Boolean(),
  },
  { title: 'TagsResponse' },
);

/** Events that an account may be notified of. Ours: Immich's clients leave the group alone. */
const NOTIFICATION_KINDS = [
  'albumInvite',
  'albumUpdate',
  'jobFailed',
  'backupFailed',
  'diskSpace',
  'integrity',
  'importFinished',
  'exportReady',
  'newLogin',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const forEachKind = <T extends TSchema>(schema: T) =>
  Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, schema])) as Record<
    NotificationKind,
    T
  >;
const NotificationsResponse = t.Object(forEachKind(t.Boolean()), {
  title: 'NotificationPreferencesResponse',
});
const NotificationsUpdate = t.Object(forEachKind(t.Optional(t.Boolean())), {
  title: 'NotificationPreferencesUpdate',
});

const MonthDay = t.String({
  pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  ...expected('a day of a year (MM-DD)', isMonthDay),
});

const LockedContentRuleDto = t.Object(
  {
    id: Uuid,
    kind: LockedContentRuleKind,
    targetId: t.Optional(t.Nullable(Uuid)),
    date: t.Optional(t.Nullable(MonthDay)),
  },
  { title: 'LockedContentRuleDto' },
);

const FILTER_ENABLED =
  'Leaves what the rules match out of listings, searches, maps and counts. The copies that apps keep ' +
  'by /sync hold it all the same: an app takes what is missing there for not backed up.';

const LockedContentPreferenceDto = t.Object(
  {
    filterEnabled: t.Boolean({ description: FILTER_ENABLED }),
    rules: t.Optional(t.Array(LockedContentRuleDto, { maxItems: 1000 })),
    ruleCount: t.Integer(),
  },
  { title: 'LockedContentPreferenceDto' },
);

export const UserPreferencesResponseDto = t.Object(
  {
    albums: AlbumsResponse,
    cast: CastResponse,
    download: DownloadResponse,
    emailNotifications: EmailNotificationsResponse,
    folders: FoldersResponse,
    memories: MemoriesResponse,
    notifications: NotificationsResponse,
    people: PeopleResponse,
    purchase: PurchaseResponse,
    ratings: RatingsResponse,
    recentlyAdded: RecentlyAddedResponse,
    sharedLinks: SharedLinksResponse,
    tags: TagsResponse,
    lockedContent: LockedContentPreferenceDto,
  },
  { title: 'UserPreferencesResponseDto' },
);

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

const PeopleUpdate = t.Object(
  {
    enabled: t.Optional(t.Boolean()),
    minimumFaces: t.Optional(t.Integer({ minimum: 1 })),
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

export type UserPreferences = typeof UserPreferencesResponseDto.static;
export type UserPreferencesUpdate = typeof UserPreferencesUpdateDto.static;
export type LockedContentRule = typeof LockedContentRuleDto.static;
