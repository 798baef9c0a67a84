import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';
import { releaseJobsOfNodes } from '../jobs/claims.ts';

export type NodeRole = 'server' | 'worker';
export type NodeState = 'starting' | 'ready' | 'draining' | 'refused' | 'gone';

export type NodeValues = {
  readonly id: string;
  readonly role: NodeRole;
  /** Name of the machine. */
  readonly host: string;
  /** URL at which other servers reach a server. */
  readonly address: string | undefined;
  /** Identity of its folder for unfinished uploads. */
  readonly stagingId?: string | undefined;
  readonly version: string;
  /** Number of the last migration that its program knows. */
  readonly schema: number;
  readonly state: Exclude<NodeState, 'gone'>;
  /** Why it does not serve. */
  readonly reason?: string | undefined;
  /** Whether it sends heartbeats: one that has its own database does not. */
  readonly hasHeartbeat: boolean;
};

/** A node that has sent no heartbeat for so long is dead. */
export const DEAD_SECONDS = 10;
/** Nodes that are gone are listed for so long. */
const KEPT = sql`interval '1 day'`;

const IS_DEAD = sql`seen_at < now() - ${DEAD_SECONDS}::int * interval '1 second'`;
export const IS_ALIVE = sql`state <> 'gone' and ${IS_DEAD} is not true`;

/** Adds or renews the row of a node. A row that others have given up on is alive again. */
export async function saveNode(db: Db, node: NodeValues): Promise<void> {
  const { id, role, host, address, stagingId, version, schema, state, reason, hasHeartbeat } = node;
  await queryRows(
    db,
    sql`
    insert into node (id, role, host, address, staging_id, version, schema, state, reason, seen_at)
    values (${id}::uuid, ${role}, ${host}, ${address ?? null}, ${stagingId ?? null}::uuid, ${version},
      ${schema}::int, ${state}, ${reason ?? null}, case when ${hasHeartbeat}::boolean then now() end)
    on conflict (id) do update set state = excluded.state, reason = excluded.reason,
      address = excluded.address, staging_id = excluded.staging_id, seen_at = excluded.seen_at`,
  );
}

/** Deletes what earlier lives of this process have left: dead nodes of the same machine and address. */
export async function deleteFormerLives(
  db: Db,
  { host, role, address }: Pick<NodeValues, 'host' | 'role' | 'address'>,
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from node where state = 'gone' and host = ${host} and role = ${role}
      and address is not distinct from ${address ?? null}`,
  );
}

export async function deleteNode(db: Db, id: string): Promise<void> {
  await queryRows(db, sql`delete from node where id = ${id}::uuid`);
}

/**
 * Gives up on the nodes that have sent no heartbeat, and releases their jobs, which run again at once. Returns the names
 * of their machines.
 */
export const releaseDead = (db: Db): Promise<string[]> => release(db, IS_DEAD);

/** The same for whoever has served the database that this server brings along: only one does at a time. */
export const releaseFormerServers = (db: Db): Promise<string[]> =>
  release(db, sql`seen_at is null`);

const release = (db: Db, condition: SQL): Promise<string[]> =>
  db.transaction(async (tx) => {
    const gone = await queryRows(
      tx,
      { id: column.uuid, host: column.text },
      sql`
      update node set state = 'gone', seen_at = coalesce(seen_at, now())
      where state <> 'gone' and ${condition} returning id, host`,
    );
    if (gone.length === 0) return [];
    await releaseJobsOfNodes(
      tx,
      gone.map(({ id }) => id),
    );
    await queryRows(tx, sql`delete from node where state = 'gone' and seen_at < now() - ${KEPT}`);
    return gone.map(({ host }) => host);
  });

const NODE_COLUMNS = {
  id: column.uuid,
  role: column.text.as<NodeRole>(),
  host: column.text,
  address: column.text.orNull,
  version: column.text,
  state: column.text.as<NodeState>(),
  reason: column.text.orNull,
  isLeader: column.boolean,
  runningJobs: column.integer,
  startedAt: column.timestamptz,
  /** Null: it is alive. */
  seenAt: column.timestamptz.orNull,
};
export type NodeView = InferRow<typeof NODE_COLUMNS>;

/** The server that does what only one should do: the one that has served for the longest time. */
const LEADER = sql`(
  select id from node where role = 'server' and state = 'ready' and ${IS_ALIVE}
  order by started_at, id limit 1)`;

/** Returns the nodes, and those that were lost within a day; servers first, and the longest running. */
export const listNodes = (db: Db): Promise<NodeView[]> =>
  queryRows(
    db,
    NODE_COLUMNS,
    sql`
    with running as (
      select split_part(worker, ':', 1) as node, count(*)::int as jobs
      from job where state = 'running' group by 1
    )
    select id, role, host, address, version, case when ${IS_ALIVE} then state else 'gone' end as state,
      reason, coalesce(id = ${LEADER}, false) as "isLeader", coalesce(jobs, 0) as "runningJobs",
      started_at as "startedAt", seen_at as "seenAt"
    from node left join running on running.node = id::text
    order by role, started_at, id`,
  );

const SERVER_COLUMNS = {
  id: column.uuid,
  address: column.text.orNull,
  stagingId: column.uuid.orNull,
  isLeader: column.boolean,
  /** Whether it answers requests. Another one may come back. */
  isReachable: column.boolean,
};
export type ServerRow = InferRow<typeof SERVER_COLUMNS>;

/** Returns the servers that were not given up. */
export const listServers = (db: Db): Promise<ServerRow[]> =>
  queryRows(
    db,
    SERVER_COLUMNS,
    sql`
    select id, address, staging_id as "stagingId", coalesce(id = ${LEADER}, false) as "isLeader",
      state in ('ready', 'draining') and address is not null and ${IS_ALIVE} as "isReachable"
    from node where role = 'server' and state <> 'gone'`,
  );

/** Returns the secret that the nodes of this library share, which the first call makes. */
export async function readSecret(db: Db): Promise<Uint8Array> {
  const { secret } = getRow(
    await queryRows(
      db,
      { secret: column.bytea },
      // Made by the database, so that no log of statements has it.
      sql`
      update instance set node_secret = coalesce(node_secret,
        decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))
      returning node_secret as secret`,
    ),
  );
  return secret;
}

/** Whether a process still works on this database. */
export async function isNodeAlive(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(db, sql`select from node where id = ${id}::uuid and ${IS_ALIVE}`);
  return rows.length > 0;
}

/** Whether a process works on this database from another machine than this one. */
export async function isNodeElsewhere(db: Db, id: string, host: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select from node where id = ${id}::uuid and host <> ${host} and ${IS_ALIVE}`,
  );
  return rows.length > 0;
}

/**
 * Returns the other nodes that serve, or run jobs, on this database, as of their last heartbeats; none where it has no
 * list of nodes. `before`: only those whose programs do not know the migration of this number. `isOnlyServer`: without
 * servers that send no heartbeats, which are former ones of a database that this process brings along.
 */
export async function listRunningNodes(
  db: Db,
  id: string,
  { before, isOnlyServer }: { readonly before?: number; readonly isOnlyServer?: boolean } = {},
): Promise<RunningNode[]> {
  const [{ isThere } = { isThere: false }] = await queryRows(
    db,
    { isThere: column.boolean },
    sql`select to_regclass('node') is not null as "isThere"`,
  );
  if (!isThere) return [];
  const isOlder = before === undefined ? sql`` : sql`and coalesce(schema, 0) < ${before}::int`;
  const isHeard = isOnlyServer ? sql`and seen_at is not null` : sql``;
  return queryRows(
    db,
    RUNNING_COLUMNS,
    sql`
    select role, host, version from node
    where state in ('ready', 'draining') and id <> ${id}::uuid and ${IS_ALIVE} ${isOlder} ${isHeard}
    order by role, host, id`,
  );
}

const RUNNING_COLUMNS = {
  role: column.text.as<NodeRole>(),
  host: column.text,
  version: column.text,
};
export type RunningNode = InferRow<typeof RUNNING_COLUMNS>;

/** Returns how many other servers answer requests. */
export async function countOtherServers(db: Db, id: string): Promise<number> {
  const [row] = await queryRows(
    db,
    { servers: column.integer },
    sql`
    select count(*)::int as servers from node
    where role = 'server' and state = 'ready' and id <> ${id}::uuid and ${IS_ALIVE}`,
  );
  return row?.servers ?? 0;
}
