// The number and the bytes of everything that an account can make: far above what a person needs, and below
// what harms others. The bytes are those of as many with texts of the greatest length, unless changes are
// checked as well. test/limits.test.ts walks all entries, and names why other tables need none.

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export type Limit = {
  /** The things, as a refusal names them. */
  readonly things: string;
  readonly per: 'account' | 'item';
  /** Most rows of one account or item. */
  readonly count: number;
  /** Most bytes of them as they are stored. */
  readonly bytes: number;
  /** FROM clause of the rows. */
  readonly from: string;
  /** Column of the account or item. */
  readonly scope: string;
  /** Rows that count; all by default. */
  readonly where?: string;
  /** Columns whose bytes count. */
  readonly sizes: readonly string[];
  /** Bytes of a row, where they are not those of columns. */
  readonly size?: string;
  /** The limit is about what runs, and is free again without a deletion: 429 instead of 409. */
  readonly isTransient?: true;
  /**
   * Rows are counted once for a thousandth of the limit on average, which may be exceeded by about as much.
   * For links between things, of which there are millions and which are added one at a time.
   */
  readonly isSampled?: true;
};

const OPEN_OPERATION = `state in ('prepared', 'queued', 'running', 'cancelling', 'undoing')`;

/** Films and archives that can be downloaded, and those under way with the bytes that they may take. */
const EXPORT_FILES = `(
  select account_id as owner_id, coalesce(size, planned_bytes) as size
  from operation join operation_file using (id)
  where ${OPEN_OPERATION} or (state = 'completed' and destination = 'download')) export`;

/** Regular expressions of filters, also those within groups: compiled, each takes about 30 kB. */
const EXPRESSIONS = `workflow cross join lateral
  jsonb_path_query(workflow.steps, 'strict $.** ? (@.matchType == "regex")') expression`;

type Rows = Omit<Limit, 'per' | 'things' | 'count' | 'bytes'>;

const perAccount = (things: string, count: number, bytes: number, rows: Rows): Limit => ({
  per: 'account',
  things,
  count,
  bytes,
  ...rows,
});

const perItem = (things: string, count: number, bytes: number, rows: Rows): Limit => ({
  ...perAccount(things, count, bytes, rows),
  per: 'item',
});

const LIMITS = {
  album: perAccount('albums', 50_000, 3 * GIB, {
    from: 'album',
    scope: 'owner_id',
    sizes: ['name', 'description'],
  }),
  albumItem: perAccount('items of albums', 20_000_000, GIB, {
    from: 'album join album_asset on album_asset.album_id = album.id',
    scope: 'album.owner_id',
    sizes: ['album_asset.asset_id'],
    isSampled: true,
  }),
  activity: perAccount('comments and likes', 100_000, 512 * MIB, {
    from: 'activity',
    scope: 'user_id',
    sizes: ['comment'],
  }),
  savedSearch: perAccount('saved searches', 200, 8 * MIB, {
    from: 'saved_search',
    scope: 'owner_id',
    sizes: ['name', 'words', 'chips'],
  }),
  apiKey: perAccount('API keys', 1000, 8 * MIB, {
    from: 'api_key',
    scope: 'user_id',
    sizes: ['name', 'permissions'],
  }),
  archiveOperation: perAccount('archive operations under way', 100, MIB, {
    from: 'operation',
    scope: 'account_id',
    where: `kind = 'archive' and ${OPEN_OPERATION}`,
    sizes: ['id'],
  }),
  archiveBatch: perAccount('archive operations', 1_000_000, 4 * GIB, {
    from: `operation join operation_batch batch on batch.operation_id = operation.id`,
    scope: 'operation.account_id',
    where: `operation.kind = 'archive'`,
    sizes: ['batch.asset_ids', 'batch.moved_ids', 'batch.moved_revisions'],
  }),
  backupDevice: perAccount('backup devices', 1000, MIB, {
    from: 'backup_device',
    scope: 'user_id',
    sizes: ['device_key', 'name', 'app_version'],
  }),
  duplicateDecision: perAccount('decisions about duplicates', 5_000_000, GIB, {
    from: 'duplicate_decision',
    scope: 'owner_id',
    sizes: ['sha256'],
    isSampled: true,
  }),
  exportFile: perAccount('archives and films', 1000, 100 * GIB, {
    from: EXPORT_FILES,
    scope: 'export.owner_id',
    sizes: [],
    size: 'export.size',
  }),
  face: perItem('faces that were added by hand', 1000, MIB, {
    from: 'face',
    scope: 'asset_id',
    where: `source = 'manual'`,
    sizes: ['id'],
  }),
  faceCorrection: perAccount('corrections of faces', 5_000_000, 4 * GIB, {
    from: 'face_correction',
    scope: 'owner_id',
    sizes: ['box', 'previous_box', 'survivor', 'merged_ids'],
    isSampled: true,
  }),
  invitation: perAccount('open invitations', 500, MIB, {
    from: 'invitation',
    scope: 'inviter_id',
    sizes: ['email', 'name'],
  }),
  itemMetadata: perItem('metadata values', 10_000, 16 * MIB, {
    from: 'asset_metadata',
    scope: 'asset_id',
    sizes: ['key', 'value'],
  }),
  library: perAccount('external libraries', 1000, 64 * MIB, {
    from: 'library',
    scope: 'owner_id',
    sizes: ['name', 'import_paths', 'exclusion_patterns'],
  }),
  moveIn: perAccount('moves under way', 20, MIB, {
    from: 'operation',
    scope: 'account_id',
    where: `kind = 'move-in' and ${OPEN_OPERATION}`,
    sizes: ['payload'],
  }),
  memory: perAccount('memories that it has made', 50_000, 512 * MIB, {
    from: 'memory',
    scope: 'owner_id',
    where: 'key is null',
    sizes: ['name', 'description', 'data'],
  }),
  memoryExport: perAccount('exports of memories under way', 20, MIB, {
    from: 'operation',
    scope: 'account_id',
    where: `kind in ('memory-archive', 'memory-film') and ${OPEN_OPERATION}`,
    sizes: ['id'],
    isTransient: true,
  }),
  memoryItem: perAccount('items of memories', 5_000_000, GIB, {
    from: 'memory join memory_asset on memory_asset.memory_id = memory.id',
    scope: 'memory.owner_id',
    sizes: ['memory_asset.asset_id'],
    isSampled: true,
  }),
  memoryRule: perAccount('rules for memories', 10_000, 8 * MIB, {
    from: 'memory_rule',
    scope: 'owner_id',
    sizes: ['month_day'],
  }),
  mergeVerdict: perAccount('decisions about pairs of people', 500_000, 64 * MIB, {
    from: 'merge_verdict',
    scope: 'owner_id',
    sizes: ['low_id', 'high_id'],
  }),
  moment: perItem('moments that were added by hand', 1000, 48 * MIB, {
    from: 'video_moment',
    scope: 'asset_id',
    where: `kind = 'manual'`,
    sizes: ['title', 'transcript'],
  }),
  notification: perAccount('notifications that administrators have written', 10_000, 64 * MIB, {
    from: 'notification',
    scope: 'owner_id',
    sizes: ['title', 'description', 'data'],
  }),
  person: perAccount('people who were added by hand', 100_000, 512 * MIB, {
    from: 'person',
    scope: 'owner_id',
    where: 'is_manual',
    sizes: ['name', 'color'],
  }),
  pet: perAccount('pets', 10_000, 16 * MIB, {
    from: 'pet',
    scope: 'owner_id',
    sizes: ['name'],
  }),
  preview: perAccount('previews that are not retired', 500, MIB, {
    from: 'studio_preview',
    scope: 'account_id',
    where: 'retired_at is null',
    sizes: ['id'],
    isTransient: true,
  }),
  project: perAccount('studio projects', 500, MIB, {
    from: 'studio_project',
    scope: 'owner_id',
    sizes: ['name'],
  }),
  revision: perAccount('revisions of studio projects', 200_000, 2 * GIB, {
    from: 'studio_project join studio_revision revision on revision.project_id = studio_project.id',
    scope: 'studio_project.owner_id',
    sizes: ['revision.document'],
  }),
  session: perAccount('sessions', 1000, 64 * MIB, {
    from: 'session',
    scope: 'user_id',
    sizes: ['device_type', 'device_os', 'app_version', 'oauth_id_token'],
  }),
  sharedLink: perAccount('shared links', 10_000, 512 * MIB, {
    from: 'shared_link',
    scope: 'owner_id',
    sizes: ['description', 'slug', 'password_hash'],
  }),
  sharedLinkItem: perAccount('items of shared links', 5_000_000, GIB, {
    from: 'shared_link join shared_link_asset on shared_link_asset.link_id = shared_link.id',
    scope: 'shared_link.owner_id',
    sizes: ['shared_link_asset.asset_id'],
    isSampled: true,
  }),
  studioExport: perAccount('films waiting', 20, MIB, {
    from: 'operation',
    scope: 'account_id',
    where: `kind = 'studio-film' and ${OPEN_OPERATION}`,
    sizes: ['id'],
    isTransient: true,
  }),
  tag: perAccount('tags', 100_000, 256 * MIB, {
    from: 'tag',
    scope: 'owner_id',
    sizes: ['value', 'color'],
  }),
  taggedItem: perAccount('tags of items', 20_000_000, GIB, {
    from: 'tag join tag_asset on tag_asset.tag_id = tag.id',
    scope: 'tag.owner_id',
    sizes: ['tag_asset.asset_id'],
    isSampled: true,
  }),
  trashReview: perAccount('reviews of the trash', 10_000, 8 * MIB, {
    from: 'trash_review',
    scope: 'user_id',
    sizes: ['token_hash', 'fingerprint'],
    isTransient: true,
  }),
  utilityItem: perAccount('items in the history of the utilities', 5_000_000, GIB, {
    from: `utility_activity
      join utility_activity_asset item on item.activity_id = utility_activity.id`,
    scope: 'utility_activity.user_id',
    sizes: ['item.asset_id'],
    isSampled: true,
  }),
  workflow: perAccount('workflows', 500, 16 * MIB, {
    from: 'workflow',
    scope: 'owner_id',
    sizes: ['name', 'description', 'steps'],
  }),
  workflowExpression: perAccount('regular expressions in workflows', 500, MIB, {
    from: EXPRESSIONS,
    scope: 'workflow.owner_id',
    sizes: ['expression'],
  }),
} satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof LIMITS;

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

type Bounds = Partial<Pick<Limit, 'count' | 'bytes'>>;

let current: Readonly<Partial<Record<LimitName, Bounds>>> = {};

export const getLimit = (name: LimitName): Limit => ({ ...LIMITS[name], ...current[name] });

/** For tests only; without an argument all are as they were. */
export const overrideLimits = (over: Readonly<Partial<Record<LimitName, Bounds>>> = {}): void => {
  current = over;
};
