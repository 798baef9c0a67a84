import { unconnectedApp } from '../contract/report.ts';
import { type Caller, findAccount, getCredentials } from './callers.ts';
import type { Cell, Guarded } from './cells.ts';
import type { Expectation } from './expectation.ts';
import { EXPECTATIONS } from './expectations.ts';
import type { World } from './world.ts';

export type Route = Guarded & {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
};

/** All operations that are served. */
export const ROUTES: readonly Route[] = unconnectedApp()
  .routes.filter(({ hooks }) => hooks.detail?.operationId)
  .map(({ method, path, hooks: { detail } }) => ({
    operationId: detail.operationId as string,
    name: `${method} ${path.replace('/api', '')}`,
    method,
    path: path.replace('/api', ''),
    permission: detail['x-permission'],
    isGuest: Boolean(detail['x-guest']),
    needsSession: Boolean(detail['x-session']),
    needsPin: Boolean(detail['x-unlocked']),
  }));

export type Request = {
  /** Path with its query. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
};

/** Returns the request of a caller with the ids of its target. */
export function createRequest(
  world: World,
  route: Route,
  expectation: Expectation,
  cell: Cell,
): Request {
  const { headers, query } = getCredentials(world, cell.caller);
  const fill = createPlaceholderFiller(world, expectation, cell);
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    fill(expectation.params?.[name] ?? '{id}'),
  );
  const asked = [fill(expectation.query ?? ''), query].filter(Boolean).join('&');
  const { mediaType } = expectation;
  const body = expectation.body && fill(JSON.stringify(expectation.body));
  return {
    url: `${path}${asked && `?${asked}`}`,
    headers: { ...headers, ...(mediaType && { 'content-type': mediaType }) },
    ...(body && { body: JSON.parse(body) as unknown }),
    ...(mediaType && { body: new Uint8Array(1) }),
  };
}

/** Puts ids in the place of names in braces. */
function createPlaceholderFiller(world: World, { target }: Expectation, { caller, state }: Cell) {
  const account = findAccount(caller);
  const things = world.things[state === 'foreign' ? 'stranger' : 'owner'];
  const own = account === 'owner' || account === 'stranger' ? world.things[account] : undefined;
  const mine = account && { ...own, ...world.mine[account] };
  const id = (): string => {
    if (target === 'asset') return world.assets[state as keyof World['assets']];
    if (target === 'album' && state === 'shared') return world.sharedAlbum;
    return target ? things[target] : crypto.randomUUID();
  };
  const getValue = (name: string): string => {
    if (name === 'id') return id();
    if (name.startsWith('my.')) {
      return mine?.[name.slice(3) as 'album'] ?? crypto.randomUUID();
    }
    if (name === 'user') return world.accounts.viewer.id;
    if (name === 'sharer') return world.sharer;
    if (name === 'checksum') return 'a'.repeat(40);
    if (name in world.accounts) return world.accounts[name as 'viewer'].id;
    return things[name as keyof typeof things] ?? crypto.randomUUID();
  };
  return (text: string) => text.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => getValue(name));
}

/** Returns the request of somebody whom the target belongs to, or of an administrator. */
export function createOwnRequest(world: World, route: Route): Request {
  const expectation = [EXPECTATIONS[route.name]!].flat()[0]!;
  const caller: Caller = expectation.rule === 'admin' ? 'admin' : 'ownerWithPin';
  const state = expectation.target ? (expectation.states?.[0] ?? 'own') : 'none';
  return createRequest(world, route, expectation, { caller, state });
}

export const withParameter = ({ url }: Request, name: string, value: unknown): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(String(value))}`;

export function withoutParameter({ url }: Request, name: string): string {
  const [path, query] = url.split('?');
  const kept = (query ?? '').split('&').filter((one) => one.split('=')[0] !== name);
  return `${path}?${kept.join('&')}`;
}

/** Returns the address with another value of the parameter of the path that stands at this index. */
export function withSegment({ url }: Request, route: Route, index: number, value: unknown): string {
  const [path, query] = url.split('?');
  const names = route.path.split('/');
  const places = [...names.keys()].filter((at) => names[at]!.startsWith(':'));
  const steps = path!.split('/');
  steps[places[index]!] = encodeURIComponent(String(value));
  return `${steps.join('/')}${query === undefined ? '' : `?${query}`}`;
}
