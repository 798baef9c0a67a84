import { isGuest } from '../../base/api.ts';
import type { Filter } from '../../data/timeline/timeline-data.ts';

/** The rights of a visitor, which a shared link may limit. */
export type Rights = { download: boolean; info: boolean };

export type Name =
  | 'favorite'
  | 'album'
  | 'compare'
  | 'takeOut'
  | 'tag'
  | 'untag'
  | 'metadata'
  | 'pasteEdits'
  | 'stack'
  | 'archive'
  | 'unarchive'
  | 'lock'
  | 'unlock'
  | 'link'
  | 'memory'
  | 'save'
  | 'download'
  | 'trash'
  | 'restore'
  | 'delete';

type Options = {
  filter: Filter;
  /** The number of selected photos of the account, and of all. */
  own: number;
  all: number;
  may: Rights;
  hasCopiedEdits: boolean;
};

/** Returns what can be done with the selected photos, in the order of the bar. */
export function listActionNames({ filter, own, all, may, hasCopiedEdits }: Options): Name[] {
  if (isGuest()) return may.download ? ['download'] : [];
  if (filter.isTrashed) return ['restore', 'delete'];
  const isLocked = filter.visibility === 'locked';
  const isArchive = filter.visibility === 'archive';
  const some = (condition: boolean, ...names: Name[]): Name[] => (condition ? names : []);
  return [
    ...some(own > 0, 'favorite'),
    ...some(!isLocked, 'album'),
    ...some(filter.albumId !== undefined, 'takeOut'),
    ...some(own > 0, filter.tagId === undefined ? 'tag' : 'untag'),
    ...some(own > 0, 'metadata'),
    ...some(own > 0 && hasCopiedEdits, 'pasteEdits'),
    ...some(own > 1 && own === all, 'stack'),
    ...some(all === 2, 'compare'),
    ...some(own > 0, isLocked ? 'unlock' : 'lock'),
    ...some(own > 0 && !isLocked, isArchive ? 'unarchive' : 'archive'),
    ...some(own > 0 && own === all && !isLocked, 'link'),
    ...some(own > 0 && !isLocked && !isArchive, 'memory'),
    ...some(own < all && !isLocked, 'save'),
    'download',
    ...some(own > 0, 'trash'),
  ];
}

/** More of them are in the menu of the bar. */
const MOST_IN_BAR = 5;
/** By priority. Actions that are not listed are in the menu only, unless all fit into the bar. */
const BAR_ORDER: readonly Name[] = [
  'restore',
  'delete',
  'takeOut',
  'untag',
  'unlock',
  'unarchive',
  'favorite',
  'trash',
  'album',
  'link',
  'archive',
  'save',
  'download',
];

/** Returns which of the actions stand in the bar itself. */
export function listBarNames(names: readonly Name[]): ReadonlySet<Name> {
  if (names.length <= MOST_IN_BAR) return new Set(names);
  return new Set(BAR_ORDER.filter((name) => names.includes(name)).slice(0, MOST_IN_BAR));
}
