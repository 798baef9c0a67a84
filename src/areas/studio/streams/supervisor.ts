import { existsSync, readdirSync } from 'node:fs';
import { rm, mkdir } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import type { DataPaths } from '../../../core/paths.ts';
import type { StreamCloseReason } from '../../../db/tables/studio.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { rememberIndexes, getIndexPath } from '../render/layer-inputs.ts';
import { type StreamChild, spawnStreamChild } from './child-process.ts';
import { findCloseReason } from './inspection.ts';
import type { Film, FromChild, Position, ToChild } from './messages.ts';
import * as store from './store.ts';
import type { FileAccess } from '../../../core/launch.ts';

// The children of open streams. What they say goes into the rows; a row is open while its child runs.

const INSPECTION_MS = 1000;

type Running = StreamChild & {
  /** Resolves when the offer that is being made is stored, or the stream is closed. */
  offered: PromiseWithResolvers<void>;
  /** The position that was asked for last, and whether it is shown or will not be. */
  position: { readonly number: number; readonly shown: PromiseWithResolvers<void> };
  /** Messages are handled one after the other. */
  handled: Promise<void>;
  readonly isEnding: Promise<void>;
};

type Children = { readonly running: Map<string, Running>; inspecting?: Timer | undefined };

const getChildren = perDatabase((): Children => ({ running: new Map() }));

const getFolders = (paths: DataPaths): string => join(paths.studio, 'streams');

export const isRunning = ({ sql }: Pick<Deps, 'sql'>, id: string): boolean =>
  getChildren(sql).running.has(id);

export const countRunning = ({ sql }: Pick<Deps, 'sql'>): number => getChildren(sql).running.size;

/** Starts the child of a stream whose row is there. */
export async function startStream(
  deps: Deps,
  { id, maxBitrateKbps }: { readonly id: string; readonly maxBitrateKbps: number },
  film: Omit<Film, 'studio' | 'folder'>,
): Promise<void> {
  const { paths, settings, sql } = deps;
  const folder = join(getFolders(paths), id);
  const whole = { ...film, studio: paths.studio, folder };
  const files = await prepareFileAccess(whole);
  const children = getChildren(sql);
  const ended = Promise.withResolvers<void>();
  const indexed = rememberIndexes(paths, film.sources.values());
  const child = spawnStreamChild(files, {
    onMessage(message) {
      if (message.type !== 'ready')
        return void (running.handled = running.handled.then(() => handle(deps, id, message)));
      const { studioPorts: ports } = settings;
      child.send({ type: 'start', film: whole, maxBitrateKbps, ports });
      void indexed.then(() => child.send({ type: 'indexed' }));
    },
    onExit: () =>
      void closeStream(deps, id, 'worker-lost')
        .then(() => rm(folder, { recursive: true, force: true }))
        .finally(() => ended.resolve()),
  });
  const running: Running = {
    ...child,
    offered: Promise.withResolvers(),
    position: { number: 0, shown: Promise.withResolvers() },
    handled: Promise.resolve(),
    isEnding: ended.promise,
  };
  children.running.set(id, running);
  children.inspecting ??= setInterval(() => void inspectAll(deps), INSPECTION_MS);
  children.inspecting.unref();
}

/** Sends the child what the browser wants. After 'reconnect' there will be another offer. */
export function sendToStream(
  { sql }: Pick<Deps, 'sql'>,
  id: string,
  message: Extract<ToChild, { type: 'answer' | 'reconnect' }>,
): void {
  const running = getChildren(sql).running.get(id);
  if (!running) return;
  if (message.type === 'reconnect') running.offered = Promise.withResolvers();
  running.send(message);
}

/** Resolves when the offer is there or will not come, at the latest after `ms`. */
export async function waitForOffer(
  { sql }: Pick<Deps, 'sql'>,
  id: string,
  ms: number,
): Promise<void> {
  const running = getChildren(sql).running.get(id);
  if (running) await Promise.race([running.offered.promise, Bun.sleep(ms)]);
}

/** Resolves when the picture at the position is sent or will not be, at the latest after `ms`. */
export async function moveRunning(
  { sql }: Pick<Deps, 'sql'>,
  id: string,
  position: Position,
  ms: number,
): Promise<void> {
  // A child that has made an offer has begun.
  await waitForOffer({ sql }, id, ms);
  const running = getChildren(sql).running.get(id);
  if (!running) return;
  // Nobody waits for the one before any more.
  running.position.shown.resolve();
  const number = running.position.number + 1;
  const shown = Promise.withResolvers<void>();
  running.position = { number, shown };
  running.send({ type: 'position', number, ...position });
  await Promise.race([shown.promise, Bun.sleep(ms)]);
}

/** Closes a stream, unless it is closed already, and ends its child. */
export async function closeStream(
  deps: Deps,
  id: string,
  reason: StreamCloseReason,
): Promise<void> {
  try {
    // First: a child that has ended closes its stream too, for another reason.
    await store.closeStreams(deps.db, reason, deps.now(), [id]);
  } catch (error) {
    deps.log.warn('a preview stream could not be closed', { id, error });
  } finally {
    endChild(deps, id);
  }
}

/** Ends the child of a stream that is closed. */
export function endChild({ sql }: Pick<Deps, 'sql'>, id: string): void {
  const children = getChildren(sql);
  const running = children.running.get(id);
  if (!running) return;
  children.running.delete(id);
  if (children.running.size === 0) {
    clearInterval(children.inspecting);
    children.inspecting = undefined;
  }
  running.offered.resolve();
  running.position.shown.resolve();
  running.kill();
}

/**
 * Closes what this server at `address`, and servers that are gone, have left open. Other servers go on with theirs.
 * Undefined: there are no others.
 */
export async function closeAbandonedStreams(
  { db, now, paths }: Pick<Deps, 'db' | 'now' | 'paths'>,
  address: string | undefined,
): Promise<void> {
  await store.closeLost(db, address, now());
  const folders = getFolders(paths);
  const ids = existsSync(folders) ? readdirSync(folders) : [];
  if (ids.length === 0) return;
  const open = await store.listOpenIds(db, ids);
  for (const id of ids.filter((name) => !open.includes(name)))
    await rm(join(folders, id), { recursive: true, force: true });
}

/** Closes all streams, and resolves when their children have ended. */
export async function stopStreams(deps: Deps): Promise<void> {
  const running = [...getChildren(deps.sql).running];
  await Promise.all(
    running.map(async ([id, { isEnding }]) => {
      await closeStream(deps, id, 'worker-lost');
      await isEnding;
    }),
  );
}

async function handle(deps: Deps, id: string, message: Exclude<FromChild, { type: 'ready' }>) {
  const { db, log } = deps;
  if (message.type === 'failed') {
    log.warn('a preview stream failed', { id, reason: message.message });
    return closeStream(deps, id, message.reason);
  }
  if (message.type === 'shown') {
    const position = getChildren(deps.sql).running.get(id)?.position;
    if (position?.number === message.number) position.shown.resolve();
    return;
  }
  const { negotiation } = message;
  if (message.type === 'offer') {
    const change = { state: 'waiting', offer: message.sdp } as const;
    await store.changeStream(db, id, { states: ['starting'], negotiation }, change);
    getChildren(deps.sql).running.get(id)?.offered.resolve();
  } else if (message.state === 'connected') {
    const states = ['answered', 'interrupted'] as const;
    await store.changeStream(db, id, { states, negotiation }, { state: 'connected' });
  } else {
    const states = ['connected', 'interrupted'] as const;
    const had = await store.changeStream(db, id, { states, negotiation }, { state: 'interrupted' });
    // Never connected: another offer would not help.
    if (!had && message.state === 'failed') await closeStream(deps, id, 'negotiation-failed');
  }
}

/** Closes the streams that may not go on. */
async function inspectAll(deps: Deps): Promise<void> {
  for (const id of getChildren(deps.sql).running.keys()) {
    try {
      const row = await store.findStream(deps.db, id);
      // The account is gone, and the row with it.
      if (!row || row.state === 'closed') endChild(deps, id);
      const reason = row && (await findCloseReason(deps, row));
      if (reason) await closeStream(deps, id, reason);
    } catch (error) {
      deps.log.warn('a preview stream could not be inspected', { id, error });
    }
  }
}

/**
 * Returns the files that the child of a stream may use, and makes the folders. It only reads the indexes of its
 * videos: other films are drawn by them too.
 */
export async function prepareFileAccess({
  sources,
  studio,
  folder,
}: Pick<Film, 'sources' | 'studio' | 'folder'>): Promise<Pick<FileAccess, 'read' | 'write'>> {
  const originals = [...sources.values()];
  const videos = originals.filter(({ type }) => type === 'VIDEO');
  const indexes = new Set(videos.map((video) => dirname(getIndexPath({ studio }, video))));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([...indexes].map((path) => mkdir(path, { recursive: true })));
  return { read: [...originals.map(({ path }) => path), ...indexes], write: [folder] };
}
