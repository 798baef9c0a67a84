import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { VERSION } from '../../src/core/version.ts';
import { dumpDatabase } from '../../src/db/dump.ts';
import { migrations } from '../../migrations/index.ts';
import { buildWorld } from '../matrix/world.ts';
import { call, testApp, testDatabase } from '../support/harness.ts';
import type { Json } from '../support/json.ts';

// The library of each release, in which every kind of thing exists: '<version>.dump' holds the database,
// '<version>.json' what its owner was answered. `make release-library` saves those of this version.

export const FOLDER = import.meta.dir;

const ROUTES = [
  'GET /users/me',
  'GET /users',
  'GET /timeline/buckets',
  'GET /timeline/bucket?timeBucket=2026-01-01',
  'GET /assets/statistics',
  'GET /albums',
  'GET /albums?shared=true',
  'GET /people?withHidden=true',
  'GET /tags',
  'GET /stacks',
  'GET /partners?direction=shared-by',
  'GET /partners?direction=shared-with',
  'GET /shared-links',
  'GET /memories/exports',
  'GET /memories/show-less',
  'GET /documents',
  'GET /pets',
  'GET /archive-operations',
  'GET /trash/items',
  'GET /users/me/preferences',
  'GET /tags/statistics',
  'GET /duplicates',
  'GET /map/markers',
  'GET /notifications',
  'GET /api-keys',
  'GET /workflows',
  'GET /view/folder/unique-paths',
  'GET /search/explore',
  'GET /search/cities',
  'POST /search/metadata',
] as const;

export type Release = {
  readonly version: string;
  /** The last of its migrations. */
  readonly schema: string;
  /** API key of the owner. */
  readonly key: string;
  /** The responses that its owner got, by route. */
  readonly answers: Readonly<Record<string, unknown>>;
};

/** Returns what the owner is answered. */
export async function readAnswers(app: App, key: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const ask = async (route: `${'GET' | 'POST'} /${string}`): Promise<Json> => {
    const body = route.startsWith('POST') ? {} : undefined;
    const { status, body: answer } = await call(app, route, { as: { key }, body });
    if (status !== 200) throw new Error(`${route}: ${status}`);
    answers[route] = answer;
    return answer;
  };
  for (const route of ROUTES) await ask(route);
  for (const { id } of await ask('GET /studio/projects'))
    await ask(`GET /studio/projects/${id}/exports`);
  return answers;
}

/** Saves the library of this version. */
export async function saveRelease(): Promise<void> {
  await using database = await testDatabase();
  const app = testApp(database);
  const { key } = (await buildWorld(database, app)).accounts.owner;
  const release: Release = {
    version: VERSION,
    schema: migrations.at(-1)!.name,
    key,
    answers: await readAnswers(app, key),
  };
  mkdirSync(FOLDER, { recursive: true });
  await dumpDatabase(database.deps.settings.databaseUrl!, join(FOLDER, `${VERSION}.dump`));
  writeFileSync(join(FOLDER, `${VERSION}.json`), `${JSON.stringify(release, null, 1)}\n`);
}
