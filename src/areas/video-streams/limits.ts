import { availableParallelism } from 'node:os';
import type { Deps } from '../../core/context.ts';
import { tooManyRequests } from '../../core/errors.ts';
import { hasRoomForTranscode } from '../studio/index.ts';
import type { Encoding } from './encoding.ts';
import type { Variant } from './variants.ts';

/** A running encoder, with the account that it counts against. */
export type Running = Wanted & {
  readonly encoding: Encoding;
  /** The key of what it encodes. */
  readonly rendition: string;
  /** The segment that it began at. */
  readonly from: number;
  /** When somebody has read from it last, in ms of the clock of this process. */
  usedAt: number;
};
export type Wanted = { readonly account: string; readonly kind: Variant['kind'] };

/** An encoder is idle, and can be evicted, after so long without a read. */
const SPARE_MS = 8_000;
/** Copying takes no processor, but a process. */
const MOST_OF_ACCOUNT = 6;
const MOST = 24;
const MOST_TRANSCODES_OF_ACCOUNT = 2;
const MOST_TRANSCODES = Math.max(2, Math.floor(availableParallelism() / 2));
const RETRY_SECONDS = 5;

/** Ends what nobody reads from any more. Throws 429 when there is no room for another one all the same. */
export function makeRoom(
  deps: Pick<Deps, 'sql'>,
  running: ReadonlySet<Running>,
  wanted: Wanted,
  end: (spare: Running) => void,
): void {
  const findLimit = () => findReachedLimit(deps, [...running].filter(isActive), wanted);
  const before = performance.now() - SPARE_MS;
  const spare = [...running]
    .filter((one) => isActive(one) && one.usedAt < before)
    .filter(({ kind }) => wanted.kind === 'original' || kind === 'encoded')
    .toSorted((one, other) => one.usedAt - other.usedAt);
  for (const one of spare) if (findLimit()) end(one);
  const limit = findLimit();
  if (limit) throw tooManyRequests(limit, RETRY_SECONDS);
}

const isActive = ({ encoding }: Running): boolean => encoding.end === undefined;

/** Returns why no other one may be started. */
function findReachedLimit(
  deps: Pick<Deps, 'sql'>,
  active: readonly Running[],
  { account, kind }: Wanted,
): string | undefined {
  const own = active.filter((one) => one.account === account);
  if (own.length >= MOST_OF_ACCOUNT)
    return `An account may play ${MOST_OF_ACCOUNT} videos at the same time`;
  if (active.length >= MOST) return 'The server plays as many videos as it can';
  if (kind === 'original') return undefined;
  if (own.filter(isTranscode).length >= MOST_TRANSCODES_OF_ACCOUNT)
    return `An account may play ${MOST_TRANSCODES_OF_ACCOUNT} videos that are transcoded at the same time`;
  return active.filter(isTranscode).length >= MOST_TRANSCODES || !hasRoomForTranscode(deps)
    ? 'The server transcodes as many videos as it can'
    : undefined;
}

const isTranscode = ({ kind }: Running): boolean => kind === 'encoded';
