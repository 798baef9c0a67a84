import { and, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { seesSources } from '../access/composites.ts';
import type { UserSession } from '../access/session.ts';
import { uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import {
  operationFiles,
  type OperationFileRow,
  operations,
  type OperationState,
} from '../db/tables/operations.ts';
import type { AnyKind, Operation, OperationKind } from './define.ts';
import {
  ACTIVE,
  changeOperation,
  getKind,
  insertOperation,
  hasKind,
  type NewOperation,
  type OperationChange,
  parse,
} from './store.ts';

// Operations that make a file, as exports do. What it shows is in `access/composites.ts`. A row is there before its
// file: what no row explains is deleted.

/** An operation with its file. */
export type FileOperation<P, G> = Operation<P, G> & { readonly file: OperationFileRow };

/** Where the file belongs. */
export type Subject = { readonly memoryId: string } | { readonly projectId: string };

const isAbout = (subject: Subject): SQL =>
  'memoryId' in subject
    ? eq(operationFiles.memoryId, subject.memoryId)
    : eq(operationFiles.projectId, subject.projectId);

/** Completed ones whose file can be downloaded. */
const IS_DOWNLOADABLE = and(
  eq(operations.state, 'completed'),
  eq(operationFiles.destination, 'download'),
);

export type NewFile = Pick<OperationFileRow, 'destination' | 'plannedBytes'> &
  Subject & { readonly sourceCount?: number };

export async function insertFileOperation<P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  operation: Omit<NewOperation<P>, 'requestId'>,
  file: NewFile,
): Promise<FileOperation<P, G>> {
  const inserted = await insertOperation(db, kind, operation);
  const [row] = await db
    .insert(operationFiles)
    .values({ id: inserted.id, ...file })
    .returning();
  if (!row) throw new Error('insert returned no row');
  return { ...inserted, file: row };
}

/** Returns operations with their files, newest first. */
async function selectFileOperations<P, G>(
  db: Db,
  kinds: readonly OperationKind<P, G>[],
  where: SQL | undefined,
  limit?: number,
): Promise<FileOperation<P, G>[]> {
  const query = db
    .select({ operation: operations, file: operationFiles })
    .from(operations)
    .innerJoin(operationFiles, eq(operationFiles.id, operations.id))
    .where(and(hasKind(kinds), where))
    .orderBy(desc(operations.createdAt), desc(operations.id));
  const rows = await (limit === undefined ? query : query.limit(limit));
  return rows.map(({ operation, file }) => ({
    ...parse(getKind(kinds, operation.kind), operation),
    file,
  }));
}

/** Returns operations of an account with their files, newest first. */
export const listFileOperations = <P, G>(
  db: Db,
  kinds: readonly OperationKind<P, G>[],
  accountId: string,
  subject?: Subject,
  limit?: number,
): Promise<FileOperation<P, G>[]> =>
  selectFileOperations(
    db,
    kinds,
    and(eq(operations.accountId, accountId), subject && isAbout(subject)),
    limit,
  );

/** Returns an operation of the account with its file; undefined for unknown and foreign ones. */
export async function findFileOperation<P, G>(
  db: Db,
  kinds: readonly OperationKind<P, G>[],
  accountId: string,
  id: string,
): Promise<FileOperation<P, G> | undefined> {
  const where = and(eq(operations.accountId, accountId), eq(operations.id, id));
  const [operation] = await selectFileOperations(db, kinds, where);
  return operation;
}

/** Returns the operations of any account about a subject that are not over. */
export const listActive = <P, G>(
  db: Db,
  kind: OperationKind<P, G>,
  subject: Subject,
): Promise<FileOperation<P, G>[]> =>
  selectFileOperations(db, [kind], and(inArray(operations.state, [...ACTIVE]), isAbout(subject)));

export type FileChange = Partial<
  Pick<OperationFileRow, 'size' | 'name' | 'assetId' | 'sourceCount' | 'objectKey'>
>;

/**
 * Changes an operation in one of the states, and its file, in the transaction of the caller. Returns undefined for any
 * other.
 */
export async function changeFileOperation<P, G>(
  db: Db,
  kinds: readonly OperationKind<P, G>[],
  id: string,
  from: readonly OperationState[],
  { file, ...change }: OperationChange<G> & { readonly file?: FileChange },
): Promise<FileOperation<P, G> | undefined> {
  const operation = await changeOperation(db, kinds, id, from, change);
  if (!operation) return undefined;
  const [row] = file
    ? await db.update(operationFiles).set(file).where(eq(operationFiles.id, id)).returning()
    : await db.select().from(operationFiles).where(eq(operationFiles.id, id));
  return row && { ...operation, file: row };
}

export async function isRunning(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select from operation where id = ${id}::uuid and state = 'running'`,
  );
  return rows.length > 0;
}

/** A completed operation whose file can be downloaded. */
export type Downloadable = Pick<OperationFileRow, 'id' | 'projectId'> & {
  /** Whether the session may see all assets of the file. */
  readonly isSeen: boolean;
};

/** Returns the downloads of an account, or that one. */
export const listDownloadable = (
  db: Db,
  kinds: readonly AnyKind[],
  session: UserSession,
  id?: string,
): Promise<Downloadable[]> =>
  db
    .select({
      id: operationFiles.id,
      projectId: operationFiles.projectId,
      isSeen: sql<boolean>`${seesSources(db, session)}`,
    })
    .from(operations)
    .innerJoin(operationFiles, eq(operationFiles.id, operations.id))
    .where(
      and(
        hasKind(kinds),
        eq(operations.accountId, session.userId),
        IS_DOWNLOADABLE,
        id === undefined ? undefined : eq(operations.id, id),
      ),
    );

/** Returns the accounts that have downloads. */
export async function listAccountsWithDownloads(
  db: Db,
  kinds: readonly AnyKind[],
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ accountId: operations.accountId })
    .from(operations)
    .innerJoin(operationFiles, eq(operationFiles.id, operations.id))
    .where(and(hasKind(kinds), IS_DOWNLOADABLE));
  return rows.map(({ accountId }) => accountId);
}

/** Whether the session may see all assets that a file is made of. */
export async function isSeen(db: Db, session: UserSession, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: operationFiles.id })
    .from(operationFiles)
    .where(and(eq(operationFiles.id, id), seesSources(db, session)));
  return rows.length > 0;
}

/** Deletes the sources of files that are gone, and operations whose subject is. */
export async function forgetSources(db: Db, kinds: readonly AnyKind[]): Promise<void> {
  await queryRows(
    db,
    sql`
    with over as (
      update operation_file set source_count = null from operation
      where operation.id = operation_file.id and state in ('failed', 'cancelled', 'expired')
        and source_count is not null returning operation_file.id
    )
    delete from composite_source where composite_id in (select id from over)`,
  );
  const isAlone = sql`not exists (select from operation_file where operation_file.id = operation.id)`;
  await db.delete(operations).where(and(hasKind(kinds), isAlone));
}

/** Returns those of `ids` whose files are needed, and whether they are complete. */
export async function findNeeded(db: Db, ids: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db
    .select({ id: operations.id, state: operations.state })
    .from(operations)
    .innerJoin(operationFiles, eq(operationFiles.id, operations.id))
    .where(
      and(
        sql`${operations.id} = any(${uuids(ids)})`,
        or(inArray(operations.state, ['queued', 'running']), IS_DOWNLOADABLE),
      ),
    );
  return new Map(rows.map(({ id, state }) => [id, state === 'completed']));
}

/** Deletes the operations about memories or a project, which go with them. */
export async function deleteAbout(
  db: Db,
  {
    memoryIds = [],
    projectId,
  }: { readonly memoryIds?: readonly string[]; readonly projectId?: string },
): Promise<void> {
  await queryRows(
    db,
    { id: column.uuid },
    sql`
    delete from operation where id in (
      select id from operation_file
      where memory_id = any(${uuids(memoryIds)}) or project_id = ${projectId ?? null}::uuid)
    returning id`,
  );
}
