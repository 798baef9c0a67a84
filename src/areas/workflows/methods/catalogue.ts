import type { Permission } from '../../../access/permissions.ts';
import { coreActions } from './core-actions.ts';
import { coreFilters } from './core-filters.ts';
import type { Method } from './define.ts';
import { createGroupFilter } from './group-filter.ts';
import { ownActions } from './own-actions.ts';
import { ownFilters } from './own-filters.ts';
import { shareToPersonAlbum } from './person-album.ts';
import { sendingActions } from './sending-actions.ts';

/** Every method that a step may name, in the order in which they are listed. */
export const methods: readonly Method[] = [
  ...coreFilters,
  ...coreActions,
  ...ownFilters,
  createGroupFilter((key) => findMethod(key)),
  ...ownActions,
  shareToPersonAlbum,
  ...sendingActions,
];

/** Returns the name by which steps call a method. */
export const toMethodKey = ({ plugin, name }: Pick<Method, 'plugin' | 'name'>): string =>
  `${plugin}#${name}`;

/** The configuration with which an action does the most. */
const NO_IDS = { albumIds: [] };
/** Permissions that steps may need, each its own. */
export const STEP_PERMISSIONS: readonly Permission[] = [
  ...new Set([
    'asset.read' as const,
    ...methods.flatMap((method) =>
      method.kind === 'action' ? method.getPermissions(NO_IDS as never) : [],
    ),
  ]),
];

const byKey: ReadonlyMap<string, Method> = new Map(
  methods.map((method) => [toMethodKey(method), method]),
);

/** Returns the method that a step names; undefined if there is none, or no longer. */
export const findMethod = (key: string): Method | undefined => byKey.get(key);
