import { t, type TSchema } from 'elysia';
import { isMonthDay } from '../../core/dates.ts';
import { expected, stringEnum, Uuid } from '../../http/schemas.ts';

export const AssetOrder = stringEnum(['asc', 'desc'], { title: 'AssetOrder' });
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
  'clusterGroupRequest',
  'jobFailed',
  'backupFailed',
  'diskSpace',
  'integrity',
  'importFinished',
  'exportReady',
  'newLogin',
  'workflow',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const forEachKind = <T extends TSchema>(schema: T) =>
  Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, schema])) as Record<
    NotificationKind,
    T
  >;
const NotificationsResponse = t.Object(forEachKind(t.Boolean()), {
  title: 'NotificationPreferencesResponse',
});

const MonthDay = t.String({
  pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  ...expected('a day of a year (MM-DD)', isMonthDay),
});

export const LockedContentRuleDto = t.Object(
  {
    id: Uuid,
    kind: LockedContentRuleKind,
    targetId: t.Optional(t.Nullable(Uuid)),
    date: t.Optional(t.Nullable(MonthDay)),
  },
  { title: 'LockedContentRuleDto' },
);

export const FILTER_ENABLED =
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

export type UserPreferences = typeof UserPreferencesResponseDto.static;
export type LockedContentRule = typeof LockedContentRuleDto.static;
