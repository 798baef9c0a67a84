import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { getLimit, LIMIT_NAMES, type LimitName, overrideLimits } from '../src/db/limits/limits.ts';
import { handleExportArchive } from '../src/areas/memories/exports/archive.handlers.ts';
import { startSession } from '../src/areas/sessions/index.ts';
import { upsertFileTags } from '../src/areas/tags/index.ts';
import { compileWorkflow } from '../src/areas/workflows/runs/steps.ts';
import { useApp } from './support/database.ts';
import { call, NOW, seed, type TestUser } from './support/harness.ts';
import { jobCtx } from './support/processing.ts';
import { core, own } from './support/workflows.ts';
import { type Maker, MAKERS } from './support/limit-makers.ts';

// Every limit, with bounds that a test can reach.

const ROOT = `${import.meta.dir}/..`;

const { database, app } = await useApp({}, { connections: 8 });
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(() => overrideLimits());

/** More than each test makes. */
const SPARE = 8;

const prepare = async (name: LimitName): Promise<Maker> => {
  const user = await seed(database).user(['all']);
  return MAKERS[name]({ database, app, admin }, user, SPARE);
};

async function measure(name: LimitName, { scopeId }: Maker): Promise<number> {
  const { from, scope, where = 'true' } = getLimit(name);
  const [row] = await database.sql.unsafe(
    `select count(*)::int as count from ${from} where ${scope} = $1 and (${where})`,
    [scopeId],
  );
  return row!['count'];
}

/** Lets the account or item have so many things more than it has. */
async function allow(name: LimitName, maker: Maker, things: number): Promise<number> {
  const count = (await measure(name, maker)) + things * (maker.step ?? 1);
  overrideLimits({ [name]: { count } });
  return count;
}

const getRefusal = (name: LimitName) => (getLimit(name).isTransient ? 429 : 409);

describe('an account', () => {
  for (const name of LIMIT_NAMES) {
    test(`${name}: has so many and no more, and others have theirs`, async () => {
      const maker = await prepare(name);
      const other = await prepare(name);
      const count = await allow(name, maker, 2);
      for (let at = 0; at < 2; at++) expect((await maker.make()).status).toBeLessThan(300);
      expect(await measure(name, maker)).toBe(count);
      const { status, body, headers } = await maker.make();
      expect(status).toBe(getRefusal(name));
      expect(body.message).toContain(`at most ${count} ${getLimit(name).things}`);
      expect(headers.has('retry-after')).toBe(status === 429);
      expect(await measure(name, maker)).toBe(count);
      expect((await other.make()).status).toBeLessThan(300);
    });

    test(`${name}: has no more of them by asking at the same time`, async () => {
      const maker = await prepare(name);
      const count = await allow(name, maker, 3);
      const replies = await Promise.all(Array.from({ length: 6 }, () => maker.make()));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(3);
      expect(statuses.filter((status) => status === getRefusal(name))).toHaveLength(3);
      expect(await measure(name, maker)).toBe(count);
    });

    test(`${name}: has so many bytes of them and no more`, async () => {
      const maker = await prepare(name);
      const before = await measure(name, maker);
      overrideLimits({ [name]: { count: before + SPARE, bytes: 1 } });
      const { status, body } = await maker.make();
      expect(status).toBe(getRefusal(name));
      expect(body.message).toContain(`The ${getLimit(name).things} of an`);
      expect(await measure(name, maker)).toBe(before);
    });
  }
});

/** Tables that need no limit, and why. What is made of an item is bounded by the items, and those by quota and disk. */
const OF_ITEMS = 'made of an item';
const OF_PAIRS = 'one for each pair of accounts, or of an account and an album';
const BY_SERVER = 'made by the server, which deletes what is old';
const BY_ADMINISTRATORS = 'made by administrators, or a fixed number of rows';

const UNLIMITED: Readonly<Record<string, string>> = {
  album_addition: BY_SERVER,
  album_order: 'at most one for each album',
  album_count: 'a counter',
  album_source: 'one for each album of a program',
  album_user: OF_PAIRS,
  analysis_model: BY_SERVER,
  app_user: BY_ADMINISTRATORS,
  asset: 'the quota of the account',
  asset_adjustment: OF_ITEMS,
  asset_analysis: OF_ITEMS,
  asset_cell_count: 'a counter',
  asset_count: 'a counter',
  asset_edit: 'at most ten of an item',
  asset_exif: OF_ITEMS,
  asset_file: OF_ITEMS,
  asset_supplement: OF_ITEMS,
  asset_text: OF_ITEMS,
  asset_text_change: OF_ITEMS,
  asset_label: OF_ITEMS,
  asset_text_part: OF_ITEMS,
  asset_unedited: OF_ITEMS,
  attempt_lane: 'at most 100,000 of the server',
  change: 'of changes that were made, and compacted',
  change_log: BY_ADMINISTRATORS,
  change_mark: BY_SERVER,
  clock_span: BY_SERVER,
  cluster_group_request: 'one for each pair of a group with members and an account',
  composite_source: 'items of previews, archives and films, which have limits',
  deduplication_apply: BY_ADMINISTRATORS,
  deduplication_copy: BY_ADMINISTRATORS,
  deduplication_plan: BY_ADMINISTRATORS,
  deleted_transcode: 'at most one for each item',
  document: OF_ITEMS,
  document_edit: 'one for each line that was recognised',
  document_field: 'one for each field of an item',
  document_line: OF_ITEMS,
  duplicate_change: OF_ITEMS,
  duplicate_member: OF_ITEMS,
  duplicate_pair: OF_ITEMS,
  embedding: OF_ITEMS,
  embedding_model: BY_SERVER,
  face_correction_face: 'one for each face of people who were merged, whose faces it moves',
  instance: BY_ADMINISTRATORS,
  integrity_check: BY_ADMINISTRATORS,
  integrity_report: BY_SERVER,
  inventory_digest: 'one of an account',
  job: 'of work that was asked for, and deleted with it',
  job_done: 'a counter',
  job_fault: BY_SERVER,
  job_run: BY_SERVER,
  job_run_count: 'a counter',
  job_run_item: BY_SERVER,
  known_client: 'at most 64 of an account',
  known_device: BY_SERVER,
  library_file: 'files of folders that administrators have chosen',
  library_size: BY_SERVER,
  live_listener: 'one of an account and a process',
  metadata_change: 'the latest 20 of an account',
  metadata_dismissal: 'at most two of an item',
  metadata_change_item: 'at most 5,000 and their parts of a change',
  maintenance_mode: BY_ADMINISTRATORS,
  mail_message: 'one for each event, deleted when it is old',
  memory_generation: 'one of an account',
  move_in_face: OF_ITEMS,
  move_in_failure: 'the first 10,000 of the latest run of a move',
  month_summary: 'a counter',
  oauth_logout_token: 'made by the sign-on provider, and deleted when it expires',
  original: 'the quota of the account',
  partner: OF_PAIRS,
  person_count: 'a counter',
  person_relation: 'one for each person',
  asset_label_decision: 'at most one for each label that models know, and 100 others of an item',
  person_vector: 'one of a person',
  pet_observation: OF_ITEMS,
  picture_outline: OF_ITEMS,
  picture_quality: OF_ITEMS,
  pin: 'at most 100 in the list of an account',
  pin_list: 'one of an account',
  preference_change: 'the latest 100 of an account',
  node: BY_SERVER,
  queue: BY_ADMINISTRATORS,
  reconciliation: 'the latest 1,000 of a device',
  reconciliation_bucket: '256 of the latest reconciliation of a device',
  removed_file: OF_ITEMS,
  object_deletion: OF_ITEMS,
  reported_import: 'one of an account',
  schedule: BY_SERVER,
  search_word: OF_ITEMS,
  shared_link_placeless: 'at most a row for each link',
  shared_link_use: 'at most a row for each link',
  sidecar_change: 'at most one for each item',
  stack: 'of two items at least, each in one stack',
  storage_use: 'at most one for each kind and account',
  studio_render: 'one for each preview at most',
  studio_stream:
    'SAFELIGHT_STUDIO_STREAMS open ones of an account, and deleted an hour after they are closed',
  sync_checkpoint: 'one for each session and kind of entity',
  system_config: BY_ADMINISTRATORS,
  tag_count: 'a counter',
  upload: '16 unfinished ones of an account (see getUploadLimits), deleted a day later',
  upload_part: 'one for each 16 MiB of an unfinished upload',
  video_enrichment: OF_ITEMS,
  video_frame: OF_ITEMS,
  video_speech: OF_ITEMS,
  workflow_backfill: 'one of a workflow at a time, deleted with its run',
  workflow_change: 'of items, in the latest 20 runs of an account',
  workflow_event: OF_ITEMS,
  workflow_run: OF_ITEMS,
  write_probe: 'one of a process, deleted a day after its last proof',
};

test('every table has a limit, or a reason to have none', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration'`;
  const limited = new Set(LIMIT_NAMES.flatMap((name) => getLimit(name).from.match(/\w+/g)));
  const tables = rows.map(({ name }) => name);
  expect(tables.filter((name) => !limited.has(name) && !(name in UNLIMITED))).toEqual([]);
  // A table that has gone, or has a limit by now.
  const isKept = (name: string) => tables.includes(name) && !limited.has(name);
  expect(Object.keys(UNLIMITED).filter((name) => !isKept(name))).toEqual([]);
});

/** Files that insert into a table with a limit: the limit is kept there or in what calls it, or the reason not to is named. */
const INSERTING = [
  'src/areas/activities/store.ts',
  'src/areas/albums/store.ts',
  'src/areas/api-keys/store.ts',
  'src/areas/assets/copy/copy.store.ts',
  'src/areas/assets/copy/merge.store.ts',
  'src/areas/assets/key-values/key-values.store.ts',
  'src/areas/backup/devices.store.ts',
  'src/areas/duplicate-sets/decisions.store.ts',
  'src/areas/enrichment/store.ts',
  'src/areas/faces/sink.store.ts', // found in items
  'src/areas/faces/store.ts',
  'src/areas/invitations/store.ts',
  'src/areas/libraries/store.ts',
  'src/areas/memories/generation/save.store.ts', // made by the server
  'src/areas/memories/show-less/store.ts',
  'src/areas/memories/store.ts',
  'src/areas/notifications/store.ts',
  'src/areas/people/clustering/clustering.store.ts', // found in items
  'src/areas/people/corrections/corrections.store.ts',
  'src/areas/people/corrections/merge.store.ts',
  'src/areas/people/corrections/suggestions.store.ts',
  'src/areas/people/store.ts',
  'src/areas/pets/observations.store.ts', // one of a species
  'src/areas/pets/sink.store.ts', // found in items
  'src/areas/pets/store.ts',
  'src/areas/search/saved/saved.store.ts',
  'src/areas/sessions/store.ts',
  'src/areas/shared-links/store.ts',
  'src/areas/studio/previews/store.ts',
  'src/areas/studio/projects/store.ts',
  'src/areas/tags/store.ts',
  'src/areas/trash/activity/activity.store.ts',
  'src/areas/trash/review/review.store.ts',
  'src/areas/uploads/publish/publish.store.ts', // of an item that is uploaded
  'src/areas/workflows/store.ts',
  'src/commands/accounts.store.ts', // by an administrator at the console
  'src/maintenance/self-check.store.ts', // one, deleted at once
  'src/operations/batches.store.ts',
  'src/operations/files.store.ts',
  'src/operations/store.ts', // each area keeps the limit of its kinds
];

test('the listed files alone insert into tables with a limit', async () => {
  const limited = new Set(LIMIT_NAMES.flatMap((name) => getLimit(name).from.match(/\w+/g)));
  const declared = new Map<string, string>();
  for (const file of new Glob('src/db/tables/*.ts').scanSync(ROOT)) {
    if (file.endsWith('.test.ts')) continue;
    for (const [name, value] of Object.entries(await import(`${ROOT}/${file}`)))
      if (is(value, PgTable)) declared.set(name, getTableName(value));
  }
  const found = new Set<string>();
  for (const file of new Glob('src/**/*.ts').scanSync(ROOT)) {
    if (file.endsWith('.test.ts')) continue;
    const text = await Bun.file(`${ROOT}/${file}`).text();
    for (const [, builder, raw] of text.matchAll(/\.insert\((\w+)\)|insert into (\w+)/g)) {
      if (limited.has(raw ?? declared.get(builder!) ?? '')) found.add(file);
    }
  }
  expect([...found].toSorted()).toEqual(INSERTING);
});

test('a login beyond the limit ends the session that was used longest ago', async () => {
  const user = await seed(database).user(['all']);
  overrideLimits({ session: { count: 2 } });
  const device = { deviceType: 'Web', deviceOs: '', appVersion: null };
  const ids: string[] = [];
  for (let minute = 1; minute < 4; minute++) {
    const now = () => new Date(Date.now() + minute * 60_000);
    ids.push((await startSession({ ...database.deps, now }, user.id, device)).row.id);
  }
  const rows =
    await database.sql`select id from session where user_id = ${user.id} order by updated_at`;
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(1));
});

test('sessions that have expired take no room', async () => {
  const { make, scopeId } = await MAKERS.session({ database, app, admin }, await addUser(), SPARE);
  overrideLimits({ session: { count: 2 } });
  expect((await make()).status).toBe(201);
  expect((await make()).status).toBe(409);
  await database.sql`update session set expires_at = ${NOW.toISOString()} where user_id = ${scopeId} and parent_id is not null`;
  expect((await make()).status).toBe(201);
});

test('keywords of a file become tags as long as there is room, and the file is taken in without', async () => {
  const user = await seed(database).user(['all']);
  const list = async (paths: readonly string[]) =>
    database.db.transaction((tx) => upsertFileTags(tx, user.id, { paths, mayGrow: true }));
  const [known] = await list(['known']);
  overrideLimits({ tag: { count: 2 } });
  expect(await list(['known', 'a|b'])).toEqual([known!]);
  expect(await list(['known', 'other'])).toHaveLength(2);
  expect(await list(['third'])).toEqual([]);
});

test('the bytes of archives and films of an account are limited together, as they are planned and as they are', async () => {
  const maker = await MAKERS.memoryExport({ database, app, admin }, await addUser(), SPARE);
  const { body: first } = await maker.make();
  const setPlanned = (bytes: number) =>
    database.sql`update operation_file set planned_bytes = ${bytes} where id = ${first.id}`;
  overrideLimits({ exportFile: { bytes: 10_000 } });
  await setPlanned(9_980);
  expect((await maker.make()).status).toBe(409);
  const effect = await handleExportArchive(jobCtx(database), { operationId: first.id });
  await (
    await database.db.transaction(async (tx) => effect?.(tx))
  )?.();
  // The archive has become smaller than planned.
  expect((await maker.make()).status).toBe(201);
  await database.sql`update operation_file set size = 9980 where id = ${first.id}`;
  expect((await maker.make()).status).toBe(409);
  await database.sql`update operation set state = 'expired' where id = ${first.id}`;
  expect((await maker.make()).status).toBe(201);
});

const addUser = () => seed(database).user(['all']);
const FILE_FILTER = 'immich-plugin-core#assetFileFilter';
const regex = (pattern: string) => ({ pattern, matchType: 'regex' });

describe('regular expressions of workflows', () => {
  test('are counted within groups, and before they are compiled', async () => {
    const user = await addUser();
    const { count } = getLimit('workflowExpression');
    const group = (filters: object[]) => own('groupFilter', { combine: 'any', filters });
    // Each of them is refused when it is compiled.
    const filter = { method: FILE_FILTER, config: regex('[') };
    const nested = Array.from({ length: 11 }, () => group(Array(50).fill(filter)));
    const steps = [group(nested)];
    const requests = [
      ['POST /workflows', { trigger: 'AssetCreate', steps }],
      ['POST /workflows/preview', { steps }],
    ] as const;
    for (const [route, body] of requests) {
      const reply = await call(app, route, { as: user, body });
      expect([reply.status, JSON.stringify(reply.body)]).toEqual([
        400,
        expect.stringContaining(`At most ${count} regular expressions`),
      ]);
    }
  });

  test('of an update count as well; who has more already can change other things', async () => {
    const user = await addUser();
    const steps = (count: number) =>
      Array.from({ length: count }, (_, at) => core('assetFileFilter', regex(`a{${at + 1}}`)));
    const create = async (count: number): Promise<string> => {
      const body = { trigger: 'AssetCreate', steps: steps(count) };
      return (await call(app, 'POST /workflows', { as: user, body })).body.id;
    };
    const put = async (id: string, body: object) =>
      (await call(app, `PUT /workflows/${id}`, { as: user, body })).status;
    const [first, second] = [await create(3), await create(1)];
    overrideLimits({ workflowExpression: { count: 5 } });
    expect(await put(second, { steps: steps(2) })).toBe(200);
    expect(await put(second, { steps: steps(3) })).toBe(409);
    overrideLimits({ workflowExpression: { count: 4 } });
    expect(await put(second, { steps: steps(3) })).toBe(409);
    expect(await put(second, { steps: steps(2).toReversed(), name: 'b' })).toBe(200);
    expect(await put(first, { steps: steps(2) })).toBe(200);
    expect(await create(0)).toBeString();
    const { body: after } = await call(app, `GET /workflows/${second}`, { as: user });
    expect(after).toMatchObject({ name: 'b', steps: steps(2).toReversed() });
  });

  test('of some workflows are remembered, those that were used last', () => {
    const toRow = (id: string) => ({
      id,
      ownerId: id,
      trigger: 'AssetCreate' as const,
      name: null,
      description: null,
      steps: Array.from({ length: 100 }, (_, at) => ({
        method: FILE_FILTER,
        config: regex(`${id}{${at + 1}}`),
        enabled: true,
      })),
      apiKeyId: null,
      isEnabled: true,
      isLogging: false,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    });
    const IDS = ['a', 'b', 'c', 'd', 'e'];
    const compile = (id: string) => compileWorkflow(toRow(id));
    const compiled = new Map(IDS.map((id) => [id, compile(id)]));
    const isKnown = (id: string) => compile(id) === compiled.get(id);
    expect(IDS.map(isKnown)).toEqual(Array(5).fill(true));
    // 500 expressions at most: the first has gone for the sixth, and takes the place of the second.
    compile('f');
    expect(isKnown('a')).toBe(false);
    expect(IDS.slice(2).map(isKnown)).toEqual([true, true, true]);
    expect(isKnown('b')).toBe(false);
  });
});
