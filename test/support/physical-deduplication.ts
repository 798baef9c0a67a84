import { join } from 'node:path';
import {
  handleApply,
  handlePreview,
  handlePurge,
} from '../../src/areas/physical-deduplication/handlers.ts';
import type { Apply, Copy, Plan } from '../../src/areas/physical-deduplication/schemas.ts';
import { OWN_DEFAULTS } from '../../src/areas/system-config/index.ts';
import type { App } from '../../src/app.ts';
import type { FormerFiles } from '../../src/db/tables/physical-deduplication.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { emptyTables } from './empty-tables.ts';
import { call, type Reply, seed, type TestDatabase, type TestUser } from './harness.ts';
import type { Json } from './json.ts';
import { addLibrary, makeFolder, scan, writeFiles } from './libraries.ts';
import { passTimeUntil } from './passed-time.ts';
import { drainLane, jobCtx } from './processing.ts';

const HANDLERS = {
  'physicalDeduplication.apply': handleApply,
  'physicalDeduplication.preview': handlePreview,
} as HandlersByLane<'background'>;

const ROUTE = '/admin/physical-deduplication';

/** An account with an external library. */
export type Household = {
  readonly user: TestUser;
  readonly libraryId: string;
  readonly folder: string;
};

/** Removes all accounts, their files and plans, and the settings. */
export const removeHouseholds = (database: TestDatabase): Promise<void> =>
  emptyTables(
    database,
    'app_user',
    'deduplication_plan',
    'deduplication_copy',
    'job',
    'job_run',
    'original',
    'system_config',
  );

/** Makes plans of physical deduplication as an administrator, and what they need. */
export const createDeduplication = (database: TestDatabase, app: App, admin: TestUser) => {
  const drain = () => drainLane(database, 'background', HANDLERS);
  const read = async (as = admin): Promise<Json> =>
    (await call(app, `GET ${ROUTE}/preview`, { as })).body;
  const review = (body: object, as = admin): Promise<Reply> =>
    call(app, `POST ${ROUTE}/plan/review`, { as, body });
  const startApply = (as = admin): Promise<Reply> =>
    call(app, 'POST /jobs', { as, body: { name: 'physical-deduplication-apply' } });
  const configure = async (
    formerFiles: FormerFiles = 'leave',
    masterUserId: string | null = admin.id,
  ): Promise<void> => {
    const body = { ...OWN_DEFAULTS, physicalDeduplication: { masterUserId, formerFiles } };
    await call(app, 'PUT /admin/config/safelight', { as: admin, body });
  };
  return {
    drain,
    read,
    review,
    startApply,
    configure,
    /** An account with a library of these files. */
    async addHousehold(
      files: Readonly<Record<string, string>>,
      parent?: string,
    ): Promise<Household> {
      const user = await seed(database).user();
      const folder = await makeFolder(parent);
      await writeFiles(folder, files);
      const libraryId = await addLibrary(app, admin, user.id, [folder]);
      await scan(database, app, admin, libraryId);
      return { user, folder, libraryId };
    },
    scan: ({ libraryId }: Household) => scan(database, app, admin, libraryId),
    async findItem({ folder }: Household, name: string): Promise<string> {
      const [row] = await database.sql`
        select asset_id from library_file where path = ${join(folder, name)}`;
      return row!['asset_id'];
    },
    startPreview: (body: object = {}, as = admin): Promise<Reply> =>
      call(app, `POST ${ROUTE}/preview`, { as, body }),
    /** Makes a plan and returns it. */
    async preview(body: object = {}): Promise<Plan> {
      const { status } = await call(app, `POST ${ROUTE}/preview`, { as: admin, body });
      if (status !== 204) throw new Error(`POST preview: ${status}`);
      await drain();
      return (await read()).plan;
    },
    /** Approves all copies of a plan and applies it; returns the run. */
    async apply(plan: Plan): Promise<Apply> {
      const decisions = toDecisions(plan, 'approve');
      await review({ planId: plan.id, fingerprint: plan.fingerprint, decisions });
      const { status, body } = await startApply();
      if (status !== 204) throw new Error(`POST /jobs: ${status} ${JSON.stringify(body)}`);
      await drain();
      const { applies } = await read();
      return applies.find(({ planId }: Apply) => planId === plan.id);
    },
    verify: (applyId: string, as = admin): Promise<Reply> =>
      call(app, `POST ${ROUTE}/applies/${applyId}/verify`, { as }),
    restore: (applyId: string, copyIds: readonly string[], as = admin): Promise<Reply> =>
      call(app, `POST ${ROUTE}/applies/${applyId}/restore`, { as, body: { copyIds } }),
    async purge(now: Date): Promise<void> {
      await passTimeUntil(database, now);
      const ctx = { ...jobCtx(database), now: () => now };
      await handlePurge(ctx, {});
    },
  };
};

export const listCopies = (plan: Plan): Copy[] => plan.groups.flatMap(({ copies }) => copies);

export const toDecisions = (plan: Plan, decision: string): object[] =>
  listCopies(plan).map(({ id }) => ({ copyId: id, decision }));
