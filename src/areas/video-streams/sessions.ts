import { LRUCache } from 'lru-cache';
import type { Deps } from '../../core/context.ts';
import { AppError, noAccess, unavailable } from '../../core/errors.ts';
import { perDatabase } from '../../db/per-database.ts';
import type { Encoder } from '../../media/encoders.ts';
import type { VideoSettings } from '../../media/video-settings.ts';
import { getTranscodes } from '../studio/index.ts';
import type { EncodeSource } from './encode.ts';
import { Encoding, SegmentMisplaced } from './encoding.ts';
import { makeRoom, type Running } from './limits.ts';
import { clearSegments, findStoredSegment, hasSegment } from './segment-store.ts';
import type { Variant } from './variants.ts';

// The sessions of this machine, and what is encoded for them. A session is nothing but a name: whoever may see the video
// goes on with it at another server, or after a restart.

/** A quality of a video, the same for all sessions. */
export type Rendition = {
  /** The same for the same bytes of a stream. */
  readonly key: string;
  readonly source: EncodeSource;
  readonly variant: Variant;
  readonly settings: VideoSettings;
  readonly encoders: readonly Encoder[];
};

export type Watcher = {
  /** Counts against the limits of an account. */
  readonly account: string;
  /** Unique within the account. */
  readonly id: string;
  /** Whether the session may still see the video, as far as can be told. Throws where it cannot. */
  isAllowed(): Promise<boolean>;
};

type Watching = {
  readonly running: Running;
  readonly watcher: Watcher;
  /** When a request of the session was allowed last, in ms of the clock of this process. */
  allowedAt: number;
};
type State = {
  /** By account and id. */
  readonly sessions: LRUCache<string, Watching>;
  readonly running: Set<Running>;
  /** The initialisations of renditions. */
  readonly inits: LRUCache<string, Buffer<ArrayBuffer>>;
  /** Renditions of files with a wrong index, which are encoded from their start. */
  readonly unseekable: LRUCache<string, true>;
  sweeping?: Timer | undefined;
};

/** An encoder that nobody reads from for so long is ended. */
const IDLE_MS = 30_000;
const SWEEP_MS = 2_000;
/** A slow machine gets this long for a segment. */
const DEADLINE_MS = 60_000;
/** Encoders that somebody waits for are used so often: sooner than any time after which one counts as idle. */
const WAIT_MS = 4_000;
const RETRY_SECONDS = 1;
const MAX_SESSIONS = 1000;

const getState = perDatabase((): State => ({
  sessions: new LRUCache({ max: MAX_SESSIONS }),
  running: new Set(),
  inits: new LRUCache({ max: MAX_SESSIONS }),
  unseekable: new LRUCache({ max: MAX_SESSIONS }),
}));

const toName = ({ account, id }: Watcher): string => `${account} ${id}`;

/** A segment that is asked for, until the signal is aborted. */
type Asked = { readonly number: number; readonly signal: AbortSignal };

/** Returns what a player needs before any segment; it will ask for this one next. Throws as readSegment. */
export const readInit = (deps: Deps, watcher: Watcher, rendition: Rendition, asked: Asked) =>
  waitFor(deps, watcher, {
    ...asked,
    rendition,
    comes: ({ end }) => end === undefined,
    find: async () => getState(deps.sql).inits.get(rendition.key),
  });

/**
 * Returns the bytes of a segment, which is encoded unless it is known. Throws 429 while too many videos are encoded,
 * 503 when the machine is too slow or the session has gone on elsewhere, or what ended the encoder.
 */
export const readSegment = (deps: Deps, watcher: Watcher, rendition: Rendition, asked: Asked) =>
  waitFor(deps, watcher, {
    ...toSegment(deps, rendition, asked.number),
    signal: asked.signal,
    find: () => findStoredSegment(deps, `${rendition.key}/${asked.number}`),
  });

/** Begins to encode what will be asked for, where there is room. */
export function startEarly(
  deps: Deps,
  watcher: Watcher,
  rendition: Rendition,
  number: number,
): void {
  if (hasSegment(deps, `${rendition.key}/${number}`)) return;
  try {
    demand(join(deps, watcher, toSegment(deps, rendition, number)), number);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** The initialisation or a segment of a rendition. */
type Part = {
  readonly rendition: Rendition;
  /** The segment at which an encoder begins for it. */
  readonly number: number;
  /** Whether an encoder of the rendition writes it soon. */
  readonly comes: (encoding: Encoding) => boolean;
};

const toSegment = ({ sql }: Pick<Deps, 'sql'>, rendition: Rendition, number: number): Part => ({
  rendition,
  number,
  comes: (encoding) => encoding.comesTo(number, isSeekable(getState(sql), rendition)),
});

const isSeekable = ({ unseekable }: State, { key, source }: Rendition): boolean =>
  source.isTimed && !unseekable.has(key);

const isFrom = ({ rendition: key, encoding }: Running, { rendition, comes }: Part): boolean =>
  key === rendition.key && comes(encoding);

type AwaitedPart = Part & {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  readonly find: () => Promise<Buffer<ArrayBuffer> | undefined>;
};

async function waitFor(
  deps: Deps,
  watcher: Watcher,
  part: AwaitedPart,
): Promise<Buffer<ArrayBuffer>> {
  const state = getState(deps.sql);
  const { rendition, number, find, signal } = part;
  const until = performance.now() + DEADLINE_MS;
  for (let running: Running | undefined; ;) {
    signal.throwIfAborted();
    if (running && !(await watcher.isAllowed())) throw noAccess('asset.view');
    const found = await find();
    const known = state.sessions.get(toName(watcher));
    if (known) known.allowedAt = performance.now();
    if (found) {
      if (known?.running.rendition === rendition.key) demand(known.running, number);
      return found;
    }
    // Two requests of a session that are far apart would end each other's encoders for ever.
    if (running && known?.running !== running && !(known && isFrom(known.running, part)))
      throw unavailable('The player has gone on elsewhere', RETRY_SECONDS);
    running = join(deps, watcher, part);
    demand(running, number);
    const change = running.encoding.change();
    // It may have come before that was asked.
    const come = await find();
    if (come) return come;
    const left = Math.max(0, until - performance.now());
    await Promise.race([change, Bun.sleep(Math.min(WAIT_MS, left))]);
    if (running.encoding.end === 'failed') fail(state, running);
    if (performance.now() > until) throw unavailable('The video is encoded too slowly', 5);
  }
}

function demand(running: Running, number: number): void {
  running.usedAt = performance.now();
  running.encoding.want(number);
}

/** Throws, or returns where another way is left. */
function fail({ unseekable }: State, { rendition, encoding: { error }, from }: Running): void {
  if (!(error instanceof SegmentMisplaced) || from === 0) throw error;
  unseekable.set(rendition, true);
}

/** Returns the encoder that comes to this part soon: that of the session, another one of the rendition, or a new one. */
function join(deps: Deps, watcher: Watcher, part: Part): Running {
  const state = getState(deps.sql);
  const name = toName(watcher);
  const own = state.sessions.get(name)?.running;
  if (own && isFrom(own, part)) return own;
  const other = [...state.running].find((running) => isFrom(running, part));
  state.sessions.delete(name);
  if (own) release(deps, own);
  const { rendition, number } = part;
  const running =
    other ?? start(deps, watcher, rendition, isSeekable(state, rendition) ? number : 0);
  state.sessions.set(name, { running, watcher, allowedAt: performance.now() });
  return running;
}

function start(deps: Deps, { account }: Watcher, rendition: Rendition, from: number): Running {
  const state = getState(deps.sql);
  const { key, variant } = rendition;
  const wanted = { account, kind: variant.kind };
  makeRoom(deps, state.running, wanted, (running) => end(deps, running));
  const encoding = new Encoding(deps, {
    ...rendition,
    from,
    onInit: (bytes) => {
      const before = state.inits.get(key);
      if (before && !before.equals(bytes))
        deps.log.warn('an encoder has begun a stream in another way', { stream: key });
      state.inits.set(key, before ?? bytes);
    },
  });
  const running = { ...wanted, encoding, rendition: key, from, usedAt: performance.now() };
  state.running.add(running);
  if (variant.kind === 'encoded') {
    const transcodes = getTranscodes(deps.sql);
    transcodes.add(running);
    void encoding.ended.then(() => transcodes.delete(running));
  }
  state.sweeping ??= setInterval(() => void sweep(deps), SWEEP_MS);
  state.sweeping.unref();
  return running;
}

/** Ends an encoder unless another session uses it. */
function release(deps: Pick<Deps, 'sql'>, running: Running): void {
  const { sessions } = getState(deps.sql);
  const isUsed = sessions.values().some((watching) => watching.running === running);
  if (!isUsed) end(deps, running);
}

function end({ sql }: Pick<Deps, 'sql'>, running: Running): void {
  const state = getState(sql);
  state.running.delete(running);
  getTranscodes(sql).delete(running);
  const sessions = [...state.sessions.entries()].filter(([, one]) => one.running === running);
  for (const [name] of sessions) state.sessions.delete(name);
  void running.encoding.stop();
}

/** Ends what nobody reads from any more, or may not. */
async function sweep(deps: Deps): Promise<void> {
  const state = getState(deps.sql);
  const now = performance.now();
  for (const running of state.running) if (running.usedAt < now - IDLE_MS) end(deps, running);
  const silent = [...state.sessions.values()].filter(({ allowedAt }) => allowedAt < now - SWEEP_MS);
  await Promise.all(
    silent.map(async ({ watcher, running }) => {
      const isAllowed = await watcher.isAllowed().catch((error: unknown) => {
        deps.log.warn('the access to a video stream could not be checked', { error });
        return true;
      });
      if (!isAllowed && state.running.has(running)) endSession(deps, watcher);
    }),
  );
  if (state.running.size > 0) return;
  clearInterval(state.sweeping);
  state.sweeping = undefined;
}

/** Ends what is encoded for a session alone. */
export function endSession({ sql }: Pick<Deps, 'sql'>, watcher: Watcher): void {
  const state = getState(sql);
  const running = state.sessions.get(toName(watcher))?.running;
  state.sessions.delete(toName(watcher));
  if (running) release({ sql }, running);
}

export const countRunning = ({ sql }: Pick<Deps, 'sql'>): number =>
  [...getState(sql).running].filter(({ encoding }) => encoding.end === undefined).length;

/** Returns what is remembered of sessions, and of encoders that run or have ended. */
export function countRemembered({ sql }: Pick<Deps, 'sql'>) {
  const { sessions, running } = getState(sql);
  return { sessions: sessions.size, encoders: running.size };
}

/** Ends all sessions, and resolves when their processes have ended. */
export async function stopVideoStreams({ sql }: Pick<Deps, 'sql'>): Promise<void> {
  const state = getState(sql);
  clearInterval(state.sweeping);
  state.sweeping = undefined;
  state.sessions.clear();
  const running = [...state.running];
  state.running.clear();
  await Promise.all(running.map(({ encoding }) => encoding.stop()));
  clearSegments({ sql });
}
