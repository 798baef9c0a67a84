import { hostname } from 'node:os';
import type { Deps } from '../core/context.ts';
import { VERSION } from '../core/version.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { OWN_SCHEMA } from '../db/migrate.ts';
import { perDatabase } from '../db/per-database.ts';
import { createAsyncEvent } from '../jobs/async-event.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { getStagingId } from '../staging/staging-id.ts';
import { findStoreFault, getStoreFault } from '../storage/index.ts';
import { updateServers } from './servers.ts';
import * as store from './store.ts';

// The nodes of a library are the processes on its database. Each tells by a heartbeat that it lives; another one releases
// the jobs of a dead node without waiting for their leases. A node that was only suspended loses its jobs by their fences.

const HEARTBEAT_MS = 2000;
/** A node that was late itself cannot tell who else is dead. */
const LATE_MS = 3 * HEARTBEAT_MS;
const DEADLINES = { statement: 5, answer: 6 };

export type NodeOptions = {
  readonly deps: Deps;
  readonly databaseUrl: string;
  readonly role: store.NodeRole;
  /** URL at which other servers reach a server. */
  readonly address?: string;
  readonly heartbeatMs?: number;
  /** It has sent heartbeats in time for so long before it gives up on others. */
  readonly steadyMs?: number;
};

export type Node = {
  /** Whether this server does what only one should do. Two may think so for a moment. */
  readonly isLeader: () => boolean;
  /** Tells that it will stop. Resolves when balancers have had the time to send requests to others, if there are any. */
  readonly drain: () => Promise<void>;
  /** To be called when its jobs have ended. */
  readonly stop: () => Promise<void>;
};

const getStatus = perDatabase(() => ({ isDraining: false }));

/** Whether this process is about to stop: it answers requests, but should get no more of them. */
export const isDraining = ({ sql }: Pick<Deps, 'sql'>): boolean => getStatus(sql).isDraining;

const OWN = { id: NODE_ID, host: hostname(), version: VERSION, schema: OWN_SCHEMA } as const;

/** Lists a process that does not serve, where the database has this list: 'refused' is for good, 'starting' for now. */
export async function recordReason(
  db: Db,
  values: Pick<store.NodeValues, 'role' | 'address' | 'reason'> & {
    readonly state: 'starting' | 'refused';
  },
): Promise<void> {
  await store.saveNode(db, { ...OWN, ...values, hasHeartbeat: true }).catch(() => {});
}

/** The row of this node, with whether it leads. */
function createRecord(options: NodeOptions, db: Db, hasHeartbeat: boolean) {
  const { deps, role, address, steadyMs = store.DEAD_SECONDS * 1000 } = options;
  const { log, paths } = deps;
  const status = getStatus(deps.sql);
  const values = { ...OWN, role, address, hasHeartbeat };
  let beatAt = -Infinity;
  let steadySince = 0;
  const leadership = { isHeld: false };

  async function save(): Promise<void> {
    // A server looks at its folders itself, and the threads of a worker at theirs.
    const reason = role === 'server' ? getStoreFault(paths) : await findStoreFault({ paths });
    const state = reason === undefined ? 'ready' : 'refused';
    const stagingId = role === 'server' ? getStagingId(paths) : undefined;
    const current = status.isDraining ? 'draining' : state;
    await store.saveNode(db, { ...values, stagingId, state: current, reason });
  }

  return {
    leadership,
    save,
    async begin(): Promise<void> {
      await store.deleteFormerLives(db, values);
      if (hasHeartbeat) return;
      await store.releaseFormerServers(db);
      await save();
      leadership.isHeld = true;
    },
    async beat(): Promise<void> {
      await save();
      const now = performance.now();
      if (now - beatAt > LATE_MS) steadySince = now;
      beatAt = now;
      const dead = now - steadySince >= steadyMs ? await store.releaseDead(db) : [];
      if (dead.length > 0) log.warn('nodes are gone, their jobs run elsewhere', { hosts: dead });
      leadership.isHeld = role === 'server' && (await updateServers({ db, sql: deps.sql }));
    },
  };
}

/** A server on the database that it brings along is the only one: it needs no heartbeat, and its disks can sleep. */
export function startNode(options: NodeOptions): Node {
  const { deps, databaseUrl, heartbeatMs = HEARTBEAT_MS } = options;
  const { log, settings } = deps;
  const hasHeartbeat = settings.databaseUrl !== undefined;
  // Requests may take all connections of the pool for longer than others wait for a heartbeat.
  const own = hasHeartbeat
    ? openDatabase(databaseUrl, { max: 1, name: 'node', deadlines: DEADLINES })
    : undefined;
  const { db } = own ?? deps;
  const status = getStatus(deps.sql);
  status.isDraining = false;
  const { leadership, ...record } = createRecord(options, db, hasHeartbeat);
  const stopped = createAsyncEvent();
  let isStopping = false;

  async function loop(): Promise<void> {
    let hasBegun = false;
    let isFailing = false;
    while (!isStopping) {
      try {
        if (!hasBegun) await record.begin();
        hasBegun = true;
        if (hasHeartbeat) await record.beat();
        isFailing = false;
      } catch (error) {
        leadership.isHeld = false;
        if (!isStopping && !isFailing) log.warn('the heartbeat of this node failed', { error });
        isFailing = true;
      }
      await stopped.wait(hasHeartbeat || !hasBegun ? heartbeatMs : undefined);
    }
  }

  const looping = loop();
  return {
    isLeader: () => leadership.isHeld && !status.isDraining,
    async drain() {
      status.isDraining = true;
      try {
        await record.save();
        if (!hasHeartbeat || (await store.countOtherServers(db, NODE_ID)) === 0) return;
        log.info('draining', { seconds: settings.drainSeconds });
        await Bun.sleep(settings.drainSeconds * 1000);
      } catch (error) {
        log.warn('other nodes cannot be told that this one stops', { error });
      }
    },
    async stop() {
      isStopping = true;
      stopped.notify();
      await looping;
      await store.deleteNode(db, NODE_ID).catch((error: unknown) => {
        log.warn('the node cannot be removed from the list', { error });
      });
      await own?.close();
    },
  };
}
