import { sample } from '../support/sample.ts';
import { type Caller, CALLERS, findAccount, isGuest, isSession, OWNERS } from './callers.ts';
import type { Expectation } from './expectation.ts';
import { ASSET_STATES } from './world.ts';

export type Cell = { readonly caller: Caller; readonly state: string };

/** An operation, as the guard knows it. */
export type Guarded = {
  readonly name: string;
  readonly permission: string | undefined;
  readonly isGuest: boolean;
  readonly needsSession: boolean;
  readonly needsPin: boolean;
};

/** Before the route is asked what it does: credential, permission, session, PIN. */
export function passesGuard(route: Guarded, caller: Caller): boolean {
  if (route.permission === undefined) return true;
  if (caller === 'nobody') return false;
  if (caller === 'keyWithout') return route.permission === 'any';
  if (isGuest(caller)) {
    return route.isGuest && (caller === 'assetLink' || route.permission !== 'asset.download');
  }
  if (route.needsSession && !isSession(caller)) return false;
  return !route.needsPin || caller === 'ownerWithPin';
}

const listStates = ({ target, states }: Expectation): readonly string[] =>
  states ??
  (target === undefined
    ? ['none']
    : target === 'asset'
      ? ASSET_STATES
      : target === 'album'
        ? ['own', 'shared', 'foreign']
        : ['own', 'foreign']);

export const listCells = (expectation: Expectation): Cell[] =>
  CALLERS.flatMap((caller) => listStates(expectation).map((state) => ({ caller, state })));

const IN_ALBUM = ['shared', 'locked', 'trashed'];

/** Whether the caller has anything to do with a target in this state. */
function isRelated({ caller, state }: Cell): boolean {
  const account = findAccount(caller);
  if (OWNERS.includes(caller) || account === 'stranger') {
    return (state === 'foreign') === (account === 'stranger');
  }
  if (account === 'partner' || account === 'laterPartner')
    return !['foreign', 'partners'].includes(state);
  return account !== 'admin' && IN_ALBUM.includes(state);
}

/** Callers that see the same and may do the same, unless a route says otherwise. */
const EQUALS: readonly (readonly Caller[])[] = [
  ['owner', 'ownerKey'],
  ['viewer', 'editor'],
];

/**
 * Chooses one of the cells with the same verdict that are equal: their callers are, or the caller has nothing to
 * do with the target in any of the states, or the guard refuses it whatever the target. A full run tries all.
 */
export function chooseAmongEqual(route: Guarded, cells: readonly Cell[]): readonly Cell[] {
  const kinds = Map.groupBy(cells, (cell) => {
    const equals = EQUALS.find((callers) => callers.includes(cell.caller)) ?? [cell.caller];
    const isPassing = passesGuard(route, cell.caller);
    return [equals[0], isPassing, isPassing && isRelated(cell) && cell.state].join(' ');
  });
  return [...kinds].flatMap(([kind, equal]) => sample(`${route.name} ${kind}`, equal, 1));
}
