import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrations } from '../../migrations/index.ts';
import type { Session, UserSession } from '../../src/access/session.ts';
import { type App, createApp } from '../../src/app.ts';
import type { Ctx, Deps } from '../../src/core/context.ts';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { assetExif, assets, originals } from '../../src/db/tables/assets.ts';
import { apiKeys, sessions, users } from '../../src/db/tables/identity.ts';
import type { Json } from './json.ts';
import { openWarmDatabase } from './warm-database.ts';

const SERVER = process.env['TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432';
export const NOW = new Date('2026-01-02T03:04:05Z');

/** The server's address with another database; it may carry a query, as `?host=/run/…`. */
export function toDatabaseUrl(name: string): string {
  const [server, query] = SERVER.split('?') as [string, string | undefined];
  return `${server.replace(/\/$/, '')}/${name}${query ? `?${query}` : ''}`;
}

/** Dropped by `close`, or at the end of the block that declares it with `await using`. */
export type TestDatabase = Database & AsyncDisposable & { readonly deps: Deps };

export type TestDatabaseOptions = {
  /** Each plans the statements for itself: one is enough for tests that send one request after the other. */
  readonly connections?: number;
  /**
   * Statements are planned for their values, as by a server. Tests have plans for any values, which cost less to make
   * and take long where few of many rows are meant.
   */
  readonly plansByValues?: boolean;
};

/**
 * A fresh database, copied from a template that is migrated once per schema version, and an empty
 * data folder. Real PostgreSQL, nothing mocked: the access rules are SQL, so that is where they must
 * be tested.
 */
export async function testDatabase({
  connections = CONNECTIONS,
  plansByValues = false,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { name, release, ...database } =
    connections === CONNECTIONS && !plansByValues
      ? await openWarmDatabase(MAKERS, connections)
      : await openOwnDatabase(connections, plansByValues);
  const root = await mkdtemp(join(tmpdir(), 'safelight-test-'));
  const deps: Deps = {
    db: database.db,
    sql: database.sql,
    now: () => NOW,
    paths: dataPaths(root),
    settings: { ...defaultSettings(), dataDir: root, databaseUrl: toDatabaseUrl(name) },
    log: silentLog,
  };
  const close = async () => {
    await release();
    await rm(root, { recursive: true, force: true });
  };
  return { ...database, deps, close, [Symbol.asyncDispose]: close };
}

const CONNECTIONS = 4;

async function openOwnDatabase(connections: number, plansByValues: boolean) {
  const name = await createDatabase('test');
  if (plansByValues) {
    const admin = connectAsAdmin();
    await admin`alter database ${admin(name)} set plan_cache_mode = 'auto'`;
  }
  const database = openDatabase(toDatabaseUrl(name), { max: connections });
  const release = async () => {
    await database.close();
    await dropDatabase(name);
  };
  return { name, sql: database.sql, db: database.db, release };
}

/** Creates a migrated database, and returns its name. */
export async function createDatabase(prefix: string): Promise<string> {
  const admin = connectAsAdmin();
  template ??= ensureTemplate();
  const name = `${prefix}_${process.pid}_${randomUUID().slice(0, 8)}`;
  // Half the time of copying through the log.
  await admin`create database ${admin(name)} template ${admin(await template)} strategy file_copy`;
  return name;
}

export async function dropDatabase(name: string): Promise<void> {
  const admin = connectAsAdmin();
  await admin`drop database ${admin(name)} with (force)`;
}

const MAKERS = {
  create: () => createDatabase('test'),
  drop: dropDatabase,
  toUrl: toDatabaseUrl,
};

let adminPool: postgres.Sql | undefined;
/** Its name. */
let template: Promise<string> | undefined;

/** The connection ends soon after the last statement, and one that follows at once needs no other. */
const connectAsAdmin = (): postgres.Sql =>
  (adminPool ??= openDatabase(toDatabaseUrl('postgres'), { max: 1, idleSeconds: 1 }).sql);

async function ensureTemplate(): Promise<string> {
  // Its connection has the lock.
  const admin = openDatabase(toDatabaseUrl('postgres'), { max: 1 }).sql;
  const version = Bun.hash(migrations.map((m) => m.sql).join('\n')).toString(36);
  const name = `template_${version}`;
  await admin`select pg_advisory_lock(7203002)`;
  const [found] = await admin`select 1 from pg_database where datname = ${name}`;
  if (!found) {
    const building = `${name}_building`;
    await admin`drop database if exists ${admin(building)}`;
    await admin`create database ${admin(building)}`;
    const database = openDatabase(toDatabaseUrl(building), { max: 1 });
    await migrate(database.sql);
    await database.close();
    await writeCatalogCache(building);
    await admin`alter database ${admin(building)} rename to ${admin(name)}`;
  }
  await admin.end();
  return name;
}

/** The first session after a change of the schema writes the file that starts the next ones sooner. */
async function writeCatalogCache(name: string): Promise<void> {
  const { sql } = openDatabase(toDatabaseUrl(name), { max: 1 });
  await sql`select 1`;
  await sql.end();
}

/** An account with an API key and a session that has logged in at NOW: send either with `as`. */
export type TestUser = { id: string; email: string; key: string; token: string };
export type NewAsset = Partial<typeof assets.$inferInsert> & {
  ownerId: string;
  exif?: Partial<typeof assetExif.$inferInsert>;
};

/** Builders: each makes the smallest valid row; a test states only what it is about. */
export const seed = ({ db }: Pick<Database, 'db'>) => ({
  async user(
    permissions: string[] = ['all'],
    over: Partial<typeof users.$inferInsert> = {},
  ): Promise<TestUser> {
    const email = `${randomUUID()}@example.com`;
    const [user] = await db
      .insert(users)
      .values({ name: 'user', email, ...over })
      .returning({ id: users.id });
    const id = user!.id;
    const [key, token] = [newSecret(), newSecret()];
    await db.insert(apiKeys).values({ userId: id, name: 'k', keyHash: sha256(key), permissions });
    await db.insert(sessions).values({ userId: id, tokenHash: sha256(token), provenAt: NOW });
    return { id, email, key, token };
  },
  async asset({ exif, ...values }: NewAsset): Promise<string> {
    const digest = randomBytes(32);
    const takenAt = values.takenAt ?? NOW;
    await db
      .insert(originals)
      .values({ sha256: values.sha256 ?? digest, size: 1 })
      .onConflictDoNothing();
    const [row] = await db
      .insert(assets)
      .values({
        type: 'IMAGE',
        fileName: 'a.jpg',
        fileSize: 1,
        sha256: digest,
        sha1: digest.subarray(0, 20),
        takenAt,
        localTakenAt: takenAt.toISOString().slice(0, -1),
        fileModifiedAt: takenAt,
        ...values,
      })
      .returning({ id: assets.id });
    await db.insert(assetExif).values({ assetId: row!.id, ...exif });
    return row!.id;
  },
});

export const createSession = (userId: string, over: Partial<UserSession> = {}): UserSession => ({
  kind: 'user',
  userId,
  isAdmin: false,
  sessionId: undefined,
  apiKeyId: undefined,
  device: '',
  unlocked: false,
  isProven: false,
  sharers: [],
  timelineSharers: [],
  placelessSharers: [],
  partialSharers: [],
  contentRules: [],
  permissions: new Set(['all']),
  log: undefined,
  ...over,
});

export const createCtx = (database: TestDatabase, session: Session): Ctx => ({
  ...database.deps,
  session,
});

export const testApp = (database: TestDatabase, over: Partial<Deps> = {}): App =>
  createApp({ ...database.deps, ...over });

export type Caller = {
  /** By the account's API key … */
  as?: Pick<TestUser, 'key'> | undefined;
  /** … or by its session token. */
  session?: Pick<TestUser, 'token'> | undefined;
  headers?: Record<string, string>;
  body?: unknown;
};
export type Reply = { status: number; body: Json; headers: Headers };

/** `call(app, 'PUT /tags/1/assets', { as: alice, body })` */
export async function call(
  app: App,
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`,
  caller: Caller = {},
): Promise<Reply> {
  const response = await send(app, route, caller);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    body: text && isJson ? JSON.parse(text) : text || undefined,
    headers: response.headers,
  };
}

/** Like `call`, for answers that are no JSON. A body that is FormData or bytes goes out as it is. */
export async function send(
  app: Pick<App, 'handle'>,
  route: string,
  caller: Caller = {},
): Promise<Response> {
  const [method, path] = route.split(' ') as [string, string];
  const { as, session, body } = caller;
  const headers = new Headers(caller.headers);
  if (as) headers.set('x-api-key', as.key);
  if (session) headers.set('authorization', `Bearer ${session.token}`);
  const isRaw = body instanceof FormData || body instanceof Uint8Array;
  if (body !== undefined && !isRaw) headers.set('content-type', 'application/json');
  return app.handle(
    new Request(`http://localhost/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
    }),
  );
}
