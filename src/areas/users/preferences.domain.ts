import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { invalidField, unauthorized } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findRuleTargets } from './content-rules.store.ts';
import { recordChange } from './history.domain.ts';
import {
  type LockedContentRule,
  type UserPreferences,
  type UserPreferencesUpdate,
  UserPreferencesUpdateDto,
} from './preferences.schemas.ts';
import * as store from './store.ts';
import { unknownUser } from './user.ts';

type Stored = Omit<UserPreferences, 'lockedContent'> & {
  lockedContent: { filterEnabled: boolean; rules: readonly LockedContentRule[] };
};

/** What holds until somebody chooses; only choices are stored. */
const DEFAULTS: Stored = {
  albums: { defaultAssetOrder: 'desc' },
  cast: { gCastEnabled: false },
  download: { archiveSize: 4 * 1024 ** 3, includeEmbeddedVideos: false },
  emailNotifications: { enabled: true, albumInvite: true, albumUpdate: true },
  folders: { enabled: false, sidebarWeb: false },
  memories: { enabled: true, duration: 5, sidebarWeb: false },
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

/** Items that match the rules are left out of what the account lists. */
export async function isContentFilterActive(ctx: Ctx): Promise<boolean> {
  const row = await store.findUser(ctx.db, requireUser(ctx.session).userId);
  const { lockedContent } = merge(DEFAULTS, row?.preferences ?? {}) as Stored;
  return lockedContent.filterEnabled;
}

/** Of any account: the caller has checked that this is allowed. */
export async function readPreferences(
  ctx: Ctx,
  userId: string,
  options: { readonly withDeleted?: boolean } = {},
): Promise<UserPreferences> {
  const row = await store.findUser(ctx.db, userId, options);
  if (!row) throw unknownUser();
  return shownTo(ctx, row);
}

/** Groups and members that are left out keep their value. */
export async function updatePreferences(
  ctx: Ctx,
  userId: string,
  change: UserPreferencesUpdate,
): Promise<UserPreferences> {
  checkChange(ctx, userId, change);
  const { avatar, ...groups } = change;
  return inTransaction(ctx, async (ctx) => {
    const row = await store.lockUser(ctx.db, userId);
    if (!row) throw unknownUser();
    await checkRuleTargets(ctx, row, groups.lockedContent?.rules);
    const saved = await store.saveUser(ctx.db, userId, {
      preferences: merge(row.preferences, groups),
      ...(avatar?.color && { avatarColor: avatar.color }),
      updatedAt: ctx.now(),
    });
    await recordChange(ctx, userId, effective(row), effective(saved!));
    return shownTo(ctx, saved!);
  });
}

function checkChange(ctx: Ctx, userId: string, change: UserPreferencesUpdate): void {
  const unknown = Object.keys(change).find((group) => !GROUPS.has(group));
  if (unknown) throw invalidField(unknown, 'Unknown group of preferences');
  const { lockedContent } = change;
  if (!lockedContent) return;
  if (!mayUnlock(ctx, userId)) {
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

/** A rule that is new names something of the caller; what an old one named may be gone by now. */
async function checkRuleTargets(
  ctx: Ctx,
  row: UserRow,
  rules: readonly LockedContentRule[] = [],
): Promise<void> {
  const { lockedContent } = merge(DEFAULTS, row.preferences) as Stored;
  const known = new Set(lockedContent.rules.map(({ kind, targetId }) => `${kind} ${targetId}`));
  const session = requireUser(ctx.session);
  for (const kind of ['person', 'pet', 'tag', 'album'] as const) {
    const added = rules.filter(
      (rule) => rule.kind === kind && !known.has(`${kind} ${rule.targetId}`),
    );
    if (added.length === 0) continue;
    const ids = added.map(({ targetId }) => targetId!.toLowerCase());
    const found = await findRuleTargets(ctx.db, session, kind, ids);
    const unknown = added.find(({ targetId }) => !found.has(targetId!.toLowerCase()));
    if (!unknown) continue;
    const path = `lockedContent.rules.${rules.indexOf(unknown)}.targetId`;
    throw invalidField(path, `No ${kind} with this id`);
  }
}

const GROUPS = new Set(Object.keys(UserPreferencesUpdateDto.properties));

/** What an account hides is its own business, also for administrators. */
const mayUnlock = (ctx: Ctx, userId: string): boolean => {
  const session = requireUser(ctx.session);
  return session.userId === userId && session.unlocked;
};

function shownTo(ctx: Ctx, row: UserRow): UserPreferences {
  const { lockedContent, ...groups } = merge(DEFAULTS, row.preferences) as Stored;
  const { filterEnabled, rules } = lockedContent;
  return {
    ...groups,
    lockedContent: {
      filterEnabled,
      ruleCount: rules.length,
      ...(mayUnlock(ctx, row.id) && { rules: [...rules] }),
    },
  };
}

const effective = (row: UserRow) =>
  ({ ...merge(DEFAULTS, row.preferences), avatar: { color: row.avatarColor } }) as Members;

type Members = Readonly<Record<string, Groups>>;
type Groups = Readonly<Record<string, unknown>>;

/** Group by group, so that members which a later version adds keep their default. */
const merge = (base: Groups, change: Groups): Record<string, unknown> => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(change).map(([group, members]) => [
      group,
      { ...(base[group] as object | undefined), ...(members as object) },
    ]),
  ),
});
