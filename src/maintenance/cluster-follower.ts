import type { Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { NOT_ACCEPTING, reopenAbandoned } from '../db/databases.ts';
import { getSqlState } from '../db/errors.ts';
import { createAsyncEvent } from '../jobs/async-event.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { getNodeAddress } from '../nodes/address.ts';
import { recordReason } from '../nodes/node.ts';
import { DEAD_SECONDS, deleteNode } from '../nodes/store.ts';
import { copyMode, MODE_DEADLINES, OWN } from './cluster-mode.ts';
import * as store from './cluster-mode.store.ts';
import { clearState, findSeen, type MaintenanceState, readState } from './state.ts';

/** Copies the mode of all servers to the state file of this one, and takes over from a server that has died. */
export type ClusterFollower = {
  /** Compares once. */
  sync(): Promise<void>;
  /** Compares from now on. */
  start(): void;
  /** Takes what the state asks for upon this server. Returns the new revision; undefined when another one has. */
  claim(state: MaintenanceState): Promise<string | undefined>;
  /** Tells the others that the work of this server has failed. */
  release(state: MaintenanceState, reason: string): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  readonly settings: Settings;
  readonly paths: DataPaths;
  readonly log: Log;
  /** Returns the URL of maintenance mode while it is served. */
  readonly getUrl: () => string | undefined;
  /** Whether this server replaces the database. */
  readonly isBusy: () => boolean;
  /** Called when the work of a server that has died is over. */
  readonly onTakeOver: (interrupted: MaintenanceState['interrupted']) => void;
  readonly periodMs?: number;
  readonly deadMs?: number;
};

const PERIOD_MS = 2000;

/** Returns undefined for a server with its own database, which is the only one. */
export const openClusterFollower = (options: Options): ClusterFollower | undefined =>
  options.settings.databaseUrl === undefined
    ? undefined
    : createClusterFollower(options, options.settings.databaseUrl);

/** Tells the others that an administrator was seen at this server. */
function createSeen(db: Db, paths: DataPaths) {
  let seenAt: number | undefined;
  return {
    begin(): void {
      seenAt = findSeen(paths);
    },
    async tell(): Promise<void> {
      const found = findSeen(paths);
      if (found !== seenAt && seenAt !== undefined) await store.saveSeen(db);
      seenAt = found;
    },
  };
}

const describeServer = ({ settings, paths }: Options, listening: string) =>
  ({
    role: 'server',
    address: getNodeAddress(settings, listening),
    state: 'starting',
    reason: readState(paths)?.error ?? 'Maintenance mode',
  }) as const;

function createClusterFollower(options: Options, url: string): ClusterFollower {
  const { paths, log, getUrl, isBusy, onTakeOver } = options;
  const { periodMs = PERIOD_MS, deadMs = DEAD_SECONDS * 1000 } = options;
  const database = openDatabase(url, { max: 1, name: 'mode', deadlines: MODE_DEADLINES });
  const { db } = database;
  const seen = createSeen(db, paths);
  const stopped = createAsyncEvent();
  let isStopping = false;
  let isListed = false;
  let looping: Promise<void> | undefined;
  let lostSince: number | undefined;

  /** This server is alive, though its application, which tells it otherwise, is not there. */
  async function beat(): Promise<void> {
    const listening = getUrl();
    if (listening === undefined) return;
    isListed = true;
    await recordReason(db, describeServer(options, listening));
  }

  async function sync(): Promise<void> {
    const state = readState(paths);
    const mode = await store.findMode(db);
    // It was changed meanwhile, or is about to be.
    if (isBusy() || readState(paths)?.revision !== state?.revision) return;
    if (!mode) {
      if (state?.revision !== undefined) clearState(paths);
    } else if (isOver(mode, state)) await end(mode);
    else if (state?.revision !== mode.revision) {
      copyMode(paths, mode);
      seen.begin();
    } else await seen.tell();
  }

  /** Whether nobody replaces the database any more, or no administrator is there any more. */
  function isOver(mode: store.ClusterMode, state: MaintenanceState | undefined): boolean {
    const isPending = state?.revision === mode.revision && state.backup !== undefined;
    const isHeld = mode.nodeId === NODE_ID ? isPending : mode.isHeld;
    if (!mode.isRunning || isHeld) {
      lostSince = undefined;
      return !mode.isRunning && mode.isAbandoned;
    }
    lostSince ??= performance.now();
    return performance.now() - lostSince >= deadMs;
  }

  async function end({ revision, isRunning, host, startedAt }: store.ClusterMode): Promise<void> {
    if (!(await store.deleteMode(db, revision))) return;
    const text = isRunning
      ? `The server on ${host} has died while it replaced the database.`
      : 'No administrator was in maintenance mode for a day: it has ended.';
    log.warn(text);
    if (isRunning) onTakeOver({ text, startedAt: new Date(startedAt).toISOString() });
    lostSince = undefined;
    clearState(paths);
  }

  async function loop(): Promise<void> {
    let isFailing = false;
    while (!isStopping) {
      try {
        await beat();
        await sync();
        isFailing = false;
      } catch (error) {
        lostSince = undefined;
        if (getSqlState(error) === NOT_ACCEPTING) await reopenAbandoned(url).catch(() => {});
        else if (!isFailing && !isStopping) log.warn('reading maintenance mode failed', { error });
        isFailing = true;
      }
      await stopped.wait(periodMs);
    }
  }

  return {
    sync,
    start: () => void (looping = loop()),
    claim: async ({ revision, action }) =>
      revision && store.updateMode(db, revision, { ...OWN, action, isRunning: true, error: null }),
    async release({ revision, action }, reason) {
      if (revision === undefined) return;
      await store
        .updateMode(db, revision, { ...OWN, action, isRunning: false, error: reason })
        // It is given up in a moment.
        .catch((error: unknown) =>
          log.warn('leaving maintenance mode to others failed', { error }),
        );
    },
    async stop() {
      isStopping = true;
      stopped.notify();
      await looping;
      if (isListed) await deleteNode(db, NODE_ID).catch(() => {});
      await database.close();
    },
  };
}
