import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { invalidField, unauthorized } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordPreferenceChange } from './history.domain.ts';
import {
  type LockedContentRule,
  type NotificationKind,
  type UserPreferences,
} from './preferences.schemas.ts';
import {
  type UserPreferencesUpdate,
  UserPreferencesUpdateDto,
} from './preferences-update.schemas.ts';
import * as store from './store.ts';
import { createUnknownUserError } from './user.ts';

type Stored = Omit<UserPreferences, 'lockedContent'> & {
  lockedContent: { filterEnabled: boolean; rules: readonly LockedContentRule[] };
};

/** Defaults; only changed values are stored. */
const DEFAULTS: Stored = {
  albums: { defaultAssetOrder: 'desc' },
  cast: { gCastEnabled: false },
  download: { archiveSize: 4 * 1024 ** 3, includeEmbeddedVideos: false },
  emailNotifications: { enabled: true, albumInvite: true, albumUpdate: true },
  folders: { enabled: false, sidebarWeb: false },
  memories: { enabled: true, duration: 5, sidebarWeb: false },
  notifications: {
    albumInvite: true,
    albumUpdate: true,
    clusterGroupRequest: true,
    jobFailed: true,
    backupFailed: true,
    diskSpace: true,
    integrity: true,
    importFinished: true,
    exportReady: true,
    newLogin: true,
    workflow: true,
  },
  people: { enabled: true, sidebarWeb: false, minimumFaces: 3 },
  purchase: { showSupportBadge: true, hideBuyButtonUntil: '2022-02-12T00:00:00.000Z' },
  ratings: { enabled: false },
  recentlyAdded: { sidebarWeb: false },
  sharedLinks: { enabled: true, sidebarWeb: false },
  tags: { enabled: false, sidebarWeb: false },
  lockedContent: { filterEnabled: false, rules: [] },
};

export async function readOwnPreferences(ctx: Ctx): Promise<UserPreferences> {
  return readPreferences(ctx, requireUser(ctx.session).userId);
}

export async function updateOwnPreferences(ctx: Ctx, change: UserPreferencesUpdate) {
  return updatePreferences(ctx, requireUser(ctx.session).userId, change);
}

/** Returns whether content rules hide items from the caller's listings. */
export async function isContentFilterActive(ctx: Ctx): Promise<boolean> {
  const row = await store.findUser(ctx.db, requireUser(ctx.session).userId);
  const { lockedContent } = merge(DEFAULTS, row?.preferences ?? {}) as Stored;
  return lockedContent.filterEnabled;
}

/** Returns whether the account wants to be notified of such events. */
export const isNotificationEnabled = (row: UserRow, kind: NotificationKind): boolean =>
  (merge(DEFAULTS, row.preferences) as Stored).notifications[kind];

const MAIL_SWITCHES = { 'album-invite': 'albumInvite', 'album-update': 'albumUpdate' } as const;

/**
 * Returns whether the account wants such mail. The first one, when it is made, cannot be unwanted; that of
 * workflows it has ordered itself.
 */
export function isMailWanted(row: UserRow, template: MailTemplate): boolean {
  if (template === 'welcome' || template === 'workflow') return true;
  const { emailNotifications } = merge(DEFAULTS, row.preferences) as Stored;
  return emailNotifications.enabled && emailNotifications[MAIL_SWITCHES[template]];
}

/** Returns the preferences of any account; the caller has checked access. */
export async function readPreferences(
  ctx: Ctx,
  userId: string,
  options: { readonly withDeleted?: boolean } = {},
): Promise<UserPreferences> {
  const row = await store.findUser(ctx.db, userId, options);
  if (!row) throw createUnknownUserError();
  return toVisiblePreferences(ctx, row);
}

/** Updates the given members only; others keep their values. */
export async function updatePreferences(
  ctx: Ctx,
  userId: string,
  change: UserPreferencesUpdate,
): Promise<UserPreferences> {
  requireValidChange(ctx, userId, change);
  const { avatar, ...groups } = change;
  return inTransaction(ctx, async (ctx) => {
    const row = await store.lockUser(ctx.db, userId);
    if (!row) throw createUnknownUserError();
    await requireRuleTargets(ctx, row, groups.lockedContent?.rules);
    const updated = await store.saveUser(ctx.db, userId, {
      preferences: merge(row.preferences, groups),
      ...(avatar?.color && { avatarColor: avatar.color }),
      updatedAt: ctx.now(),
    });
    const saved = requireValue(updated, 'locked account');
    await recordPreferenceChange(ctx, userId, withDefaults(row), withDefaults(saved));
    return toVisiblePreferences(ctx, saved);
  });
}

function requireValidChange(ctx: Ctx, userId: string, change: UserPreferencesUpdate): void {
  const unknown = Object.keys(change).find((group) => !GROUPS.has(group));
  if (unknown) throw invalidField(unknown, 'Unknown group of preferences');
  const { lockedContent } = change;
  if (!lockedContent) return;
  if (!canUnlock(ctx, userId)) {
    throw unauthorized('Elevated permission is required', { code: 'elevation_required' });
  }
  for (const [index, { kind, date, targetId }] of (lockedContent.rules ?? []).entries()) {
    const needed = kind === 'date' ? 'date' : 'targetId';
    if (!(kind === 'date' ? date : targetId)) {
      throw invalidField(
        `lockedContent.rules.${index}.${needed}`,
        `A rule of kind ${kind} needs a ${needed}`,
      );
    }
  }
}

/** Throws 400 when a new rule names an unknown target. Targets of existing rules may be gone. */
async function requireRuleTargets(
  ctx: Ctx,
  row: UserRow,
  rules: readonly LockedContentRule[] = [],
): Promise<void> {
  const { lockedContent } = merge(DEFAULTS, row.preferences) as Stored;
  const known = new Set(lockedContent.rules.map(({ kind, targetId }) => `${kind} ${targetId}`));
  const session = requireUser(ctx.session);
  for (const kind of ['person', 'pet', 'tag', 'album'] as const) {
    const added = rules.flatMap(({ kind: own, targetId }, index) =>
      own === kind && targetId && !known.has(`${kind} ${targetId}`)
        ? [{ index, id: targetId.toLowerCase() }]
        : [],
    );
    if (added.length === 0) continue;
    const ids = added.map(({ id }) => id);
    const found = await store.findRuleTargets(ctx.db, session, kind, ids);
    const unknown = added.find(({ id }) => !found.has(id));
    if (!unknown) continue;
    const path = `lockedContent.rules.${unknown.index}.targetId`;
    throw invalidField(path, `No ${kind} with this id`);
  }
}

const GROUPS = new Set(Object.keys(UserPreferencesUpdateDto.properties));

/** Content rules are visible to the account only, in an elevated session; not to administrators. */
const canUnlock = (ctx: Ctx, userId: string): boolean => {
  const session = requireUser(ctx.session);
  return session.userId === userId && session.unlocked;
};

function toVisiblePreferences(ctx: Ctx, row: UserRow): UserPreferences {
  const { lockedContent, ...groups } = merge(DEFAULTS, row.preferences) as Stored;
  const { filterEnabled, rules } = lockedContent;
  return {
    ...groups,
    lockedContent: {
      filterEnabled,
      ruleCount: rules.length,
      ...(canUnlock(ctx, row.id) && { rules: [...rules] }),
    },
  };
}

const withDefaults = (row: UserRow) =>
  ({ ...merge(DEFAULTS, row.preferences), avatar: { color: row.avatarColor } }) as Members;

type Members = Readonly<Record<string, Groups>>;
type Groups = Readonly<Record<string, unknown>>;

/** Merges group by group, so that members added by later versions keep their defaults. */
const merge = (base: Groups, change: Groups): Record<string, unknown> => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(change).map(([group, members]) => [
      group,
      { ...(base[group] as object | undefined), ...(members as object) },
    ]),
  ),
});
