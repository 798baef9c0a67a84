import type { Account, AssetState, Kind, ThingState, World } from './world.ts';

/** Everybody who could ask: each may see something else. */
export const CALLERS = [
  'nobody',
  'owner', // a session without the PIN
  'ownerWithPin',
  'ownerKey', // an API key that may do everything
  'keyWithout', // the owner's API key that may do everything else
  'partner', // the owner shares the Timeline with this account
  'laterPartner', // only what will be taken later
  'viewer', // of the shared album
  'editor', // of the shared album
  'stranger',
  'admin',
  'assetLink',
  'albumLink', // without downloads
] as const;
export type Caller = (typeof CALLERS)[number];

export const OWNERS: readonly Caller[] = ['owner', 'ownerWithPin', 'ownerKey'];
const GUESTS: readonly Caller[] = ['assetLink', 'albumLink'];

export const isGuest = (caller: Caller): boolean => GUESTS.includes(caller);
export const isSession = (caller: Caller): boolean =>
  findAccount(caller) !== undefined && caller !== 'ownerKey' && caller !== 'keyWithout';

/** Undefined: nobody, or a link. */
export function findAccount(caller: Caller): Account | undefined {
  if (caller === 'nobody' || isGuest(caller)) return undefined;
  return caller.startsWith('owner') || caller === 'keyWithout' ? 'owner' : (caller as Account);
}

/** The truth that every answer is held against. */
const SEES: Readonly<Record<AssetState, readonly Caller[]>> = {
  own: [...OWNERS, 'partner'],
  shared: [...OWNERS, 'partner', 'viewer', 'editor', ...GUESTS],
  archived: OWNERS,
  locked: ['ownerWithPin'],
  trashed: OWNERS,
  partners: OWNERS,
  foreign: ['stranger'],
};
const OWNS: Readonly<Record<AssetState, readonly Caller[]>> = {
  ...SEES,
  own: OWNERS,
  shared: OWNERS,
  partners: [],
};
const SEES_ALBUM: Readonly<Record<ThingState, readonly Caller[]>> = {
  own: OWNERS,
  shared: [...OWNERS, 'viewer', 'editor', 'albumLink'],
  foreign: ['stranger'],
};
const OWNS_THING: Readonly<Record<ThingState, readonly Caller[]>> = {
  own: OWNERS,
  shared: OWNERS,
  foreign: ['stranger'],
};

export const listViewers = (target: Kind | 'asset', state: string): readonly Caller[] =>
  target === 'asset'
    ? SEES[state as AssetState]
    : (target === 'album' ? SEES_ALBUM : OWNS_THING)[state as ThingState];

export const listOwners = (target: Kind | 'asset', state: string): readonly Caller[] =>
  target === 'asset' ? OWNS[state as AssetState] : OWNS_THING[state as ThingState];

/** Texts that no answer to this caller may contain. */
export function forbiddenMarkers({ markers }: World, caller: Caller): string[] {
  const isShown = (about: string): boolean => {
    if (about === 'ofOwner') return OWNERS.includes(caller);
    if (about === 'ofStranger') return caller === 'stranger';
    if (about === 'inAlbum') return SEES_ALBUM.shared.includes(caller);
    return SEES[about as AssetState].includes(caller);
  };
  return Object.entries(markers).flatMap(([about, texts]) => (isShown(about) ? [] : texts));
}

export function getCredentials(
  world: World,
  caller: Caller,
): { headers: Record<string, string>; query: string } {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, query: '' });
  const key = (value: string) => ({ headers: { 'x-api-key': value }, query: '' });
  switch (caller) {
    case 'nobody':
      return { headers: {}, query: '' };
    case 'ownerWithPin':
      return bearer(world.pinToken);
    case 'ownerKey':
      return key(world.accounts.owner.key);
    case 'keyWithout':
      return key(world.weakKey.secret);
    case 'assetLink':
      return { headers: {}, query: `slug=${world.links.assets}` };
    case 'albumLink':
      return { headers: {}, query: `slug=${world.links.album}` };
    case 'owner':
    case 'partner':
    case 'laterPartner':
    case 'viewer':
    case 'editor':
    case 'stranger':
    case 'admin':
      return bearer(world.accounts[caller].token);
  }
}
