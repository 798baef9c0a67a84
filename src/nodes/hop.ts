import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../core/context.ts';
import { type Epoch, getEpoch } from '../db/epoch.ts';
import type { ClientOrigin } from '../http/forwarded.ts';
import { readSecret } from './store.ts';

// A server signs what it tells another one about a client, by a secret that the nodes of a library share. The signature is
// of one request to one process: nobody else can make it, and what reaches another process by a wrong address is refused.

/** The header of a request that was sent on by another server. */
export const HOP_HEADER = 'x-safelight-forwarded';

type Hop = {
  /** The node that it is for. */
  readonly to: string;
  readonly origin: ClientOrigin;
};
type Target = {
  readonly method: string;
  readonly url: string;
};

const secrets = new WeakMap<Epoch, Promise<Uint8Array>>();

/** Reads it anew in each epoch: a secret that was made just before a failover may be lost with it. */
function getSecret({ db, sql }: Pick<Deps, 'db' | 'sql'>): Promise<Uint8Array> {
  const epoch = getEpoch(sql);
  let reading = secrets.get(epoch);
  if (!reading) {
    reading = readSecret(db);
    secrets.set(epoch, reading);
    reading.catch(() => secrets.delete(epoch));
  }
  return reading;
}

const computeMac = (secret: Uint8Array, { method, url }: Target, text: string): Buffer => {
  const { pathname, search } = new URL(url);
  return createHmac('sha256', secret).update(`${method} ${pathname}${search}\n${text}`).digest();
};

/** Returns the value of the header for this request. */
export async function signHop(
  deps: Pick<Deps, 'db' | 'sql'>,
  target: Target,
  hop: Hop,
): Promise<string> {
  const text = Buffer.from(JSON.stringify(hop)).toString('base64url');
  return `${text}.${computeMac(await getSecret(deps), target, text).toString('base64url')}`;
}

/** Returns what the header says; undefined unless a node of this library has written it for this request. */
export async function verifyHop(
  deps: Pick<Deps, 'db' | 'sql'>,
  target: Target,
  header: string,
): Promise<Hop | undefined> {
  const [text = '', mac = ''] = header.split('.');
  const given = Buffer.from(mac, 'base64url');
  const expected = computeMac(await getSecret(deps), target, text);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Hop;
}
