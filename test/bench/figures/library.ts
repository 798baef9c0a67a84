import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { newSecret, sha256 } from '../../../src/core/hash.ts';
import { openDatabase } from '../../../src/db/client.ts';
import { saveCurrentModels } from '../../../src/inference/analysis.store.ts';
import { listInstalledModels } from '../../../src/inference/capabilities.ts';
import { listSemanticModels } from '../../../src/inference/index.ts';
import { toDatabaseUrl } from '../../support/harness.ts';
import { insertEmbeddings } from '../seed-embeddings.ts';
import { type Amounts, type Attempt, furnish } from '../furnish.ts';
import { insertMemories } from '../seed-memories.ts';
import { dropLibrary, seedLibrary, writeDerivedFiles } from '../seed.ts';
import { type MeteredServer, startMetered } from './metered-server.ts';
import { migrateByBinary, type Target } from './server.ts';

/** A library on a running server, with all that is needed to measure it. */
export type MeasuredLibrary = MeteredServer & Contents & { readonly assets: number };

type Contents = {
  readonly accounts: LibraryAccounts;
  /** The largest album. */
  readonly albumId: string;
  /** Whatever the schema of the target has no place for. */
  readonly unseeded: readonly string[];
};

/** Tokens of sessions. */
export type LibraryAccounts = {
  readonly owner: string;
  /** Another session of the owner, which acknowledges what it has synchronised. */
  readonly synced: string;
  /** The session of an account that has nothing but what others share. */
  readonly newcomer: string;
};

const MODELS =
  process.env['SAFELIGHT_TEST_MODELS'] ?? join(import.meta.dir, '../../../.cache/models');
/** Folder of models; undefined when there are none. */
export const models = existsSync(MODELS) ? MODELS : undefined;

/** The days of a month around today. */
const MEMORIES = {
  firstDay: new Date(Date.now() - 15 * 86_400_000).toISOString().slice(0, 10),
  days: 30,
  years: 8,
};

/** Returns lists that are as long as those of people with so many photos. */
const getTypicalAmounts = (assets: number): Amounts => ({
  albums: [
    [1, Math.round(assets / 10)],
    [Math.ceil(assets / 8_000), 1_000],
    [Math.ceil(assets / 500), 50],
  ],
  tags: [10, 5, Math.ceil(assets / 10_000)],
  stacks: Math.ceil(assets / 100),
  people: Math.ceil(assets / 200),
  documents: Math.ceil(assets / 10),
  links: 20,
  comments: 50,
  operations: 20,
  runs: 50,
  accounts: 2,
});

/**
 * Opens the same library of so many assets for each target, on databases of the server in TEST_POSTGRES. The
 * others upgrade a copy of the first; one that cannot gets the same assets by its own schema.
 */
export async function openLibraries(
  targets: readonly Target[],
  assets: number,
): Promise<MeasuredLibrary[]> {
  const toName = ({ label }: Target) => `figures_${label}_${assets}`;
  const [first, ...others] = targets;
  const seeded = await createLibrary(first!, toName(first!), assets);
  const contents = [seeded];
  for (const target of others) {
    await copyDatabase(toName(first!), toName(target));
    const canUpgrade = await migrateByBinary(target, toName(target)).then(
      () => true,
      () => false,
    );
    contents.push(canUpgrade ? seeded : await createLibrary(target, toName(target), assets));
  }
  const opened: MeasuredLibrary[] = [];
  for (const [at, target] of targets.entries()) {
    opened.push(await openLibrary(target, toName(target), { assets, ...contents[at]! }));
  }
  return opened;
}

/** Errors of PostgreSQL: unknown table, unknown column, and a column of which nothing is known. */
const UNKNOWN_SCHEMA: ReadonlySet<string> = new Set(['42P01', '42703', '23502']);

async function createLibrary(target: Target, name: string, assets: number): Promise<Contents> {
  const library = await seedLibrary(name, assets, {
    counting: 'triggers',
    createSchema: () => migrateByBinary(target, name),
  });
  const { sql, ...database } = openDatabase(library.url, { max: 1 });
  const unseeded: string[] = [];
  const attempt: Attempt = (what, insert) =>
    insert().catch((error: { code?: string }) => {
      if (!UNKNOWN_SCHEMA.has(error.code ?? '')) throw error;
      unseeded.push(what);
    });
  const amounts = getTypicalAmounts(assets);
  const furnished = await furnish(sql, library, { amounts, counting: 'triggers', attempt });
  await sql`update app_user set is_admin = true where id = ${library.userId}`;
  await attempt('memories', () => insertMemories(sql, library.userId, MEMORIES));
  if (models) {
    const settings = { dataDir: '/nonexistent', modelsDir: models };
    const [model] = listSemanticModels(settings);
    if (model) await attempt('embeddings', () => insertEmbeddings(sql, model));
    // Else the server would analyse all assets while they are read.
    await attempt('models', async () => {
      await saveCurrentModels(database.db, listInstalledModels(settings));
    });
  }
  const accounts: LibraryAccounts = {
    owner: furnished.token,
    synced: await createSession(sql, library.userId),
    newcomer: await createSession(sql, furnished.otherId),
  };
  await postponeSchedule(sql);
  await database.close();
  return { accounts, albumId: furnished.albumId, unseeded };
}

async function createSession(sql: Sql, userId: string): Promise<string> {
  const token = newSecret();
  await sql`insert into session (user_id, token_hash) values (${userId}, ${sha256(token)})`;
  return token;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  await dropLibrary(to);
  const { sql, ...database } = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
  await sql`create database ${sql(to)} template ${sql(from)}`;
  await database.close();
}

/** Nothing of the seed was analysed, and all of it would be; it has the memories of the seed. */
const POSTPONED = [
  'assets.searchUnprocessed',
  'inference.watchModels',
  'enrichment.watchVideos',
  'memories.generate',
];

const postponeSchedule = (sql: Sql): Promise<unknown> => sql`
  insert into schedule (name, next_at)
  select name, now() + interval '1 day' from unnest(${POSTPONED}::text[]) name`;

type LibraryOptions = Contents & { readonly assets: number };

async function openLibrary(
  target: Target,
  name: string,
  options: LibraryOptions,
): Promise<MeasuredLibrary> {
  const flags = models ? [`--models=${models}`] : [];
  const metered = await startMetered(target, name, { flags, prepare: writeDerivedFiles });
  return { ...options, ...metered };
}
