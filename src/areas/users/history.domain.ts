import { isDeepStrictEqual } from 'node:util';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type { FieldChange } from '../../db/tables/preferences.ts';
import type { PreferenceHistory } from './history.schemas.ts';
import * as store from './store.ts';

/** Returns the changes of the caller's preferences, by the caller and administrators. */
export async function listPreferenceChanges(ctx: Ctx): Promise<PreferenceHistory> {
  const { userId, sessionId } = requireUser(ctx.session);
  const rows = await store.listChanges(ctx.db, userId);
  return {
    items: rows.map(({ change, session }) => ({
      id: change.id,
      changedAt: change.createdAt.toISOString(),
      device: session && {
        sessionId: session.userId === userId ? session.id : null,
        deviceType: session.deviceType,
        deviceOS: session.deviceOs,
        appVersion: session.appVersion,
        isCurrent: session.id === sessionId,
      },
      changes: [...change.changes],
    })),
  };
}

type Preferences = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Records the differences. Call it in the transaction that saves `after`. */
export async function recordPreferenceChange(
  ctx: Ctx,
  userId: string,
  before: Preferences,
  after: Preferences,
): Promise<void> {
  const changes = diffPreferences(before, after);
  if (changes.length === 0) return;
  const { sessionId } = requireUser(ctx.session);
  await store.insertChange(ctx.db, { userId, sessionId, changes, createdAt: ctx.now() });
}

/** Left out, because reading the history does not require the PIN. */
const HIDDEN_GROUP = 'lockedContent';

const diffPreferences = (before: Preferences, after: Preferences): FieldChange[] =>
  Object.entries(after).flatMap(([group, members]) =>
    Object.entries(members)
      .filter(([name, value]) => !isDeepStrictEqual(before[group]?.[name], value))
      .map(([name, value]) => {
        const path = `${group}.${name}`;
        return group === HIDDEN_GROUP
          ? { path, redacted: true }
          : { path, redacted: false, previous: before[group]?.[name], value };
      }),
  );
