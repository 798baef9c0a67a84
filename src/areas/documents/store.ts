import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { joinWithAnd, getRow, queryRows, queryPrepared } from '../../db/query.ts';
import {
  documentEdits,
  type DocumentFieldRow,
  documentFields,
  documentLines,
  documents,
  type LineQuad,
} from '../../db/tables/documents.ts';
import { type SummaryReader, getSummaries, type MonthSummary } from '../assets/index.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { anyOfIds } from '../../db/arrays.ts';

export type Reader = SummaryReader & { readonly session: UserSession };

/** A folded query word; `mayBeMistyped`: similar words match, too. */
export type SearchWord = {
  readonly word: string;
  readonly mayBeMistyped: boolean;
  /** Accepted corrections. */
  readonly corrections: readonly string[];
};

export type DocumentSearch = {
  readonly words: readonly SearchWord[];
  readonly limit: number;
  readonly offset: number;
};

const LISTED_DOCUMENT_COLUMNS = {
  id: column.uuid,
  fileName: column.text,
  takenAt: column.text,
  localTakenAt: column.text,
  thumbhash: column.text.orNull,
  hasCorrections: column.boolean,
};

export type ListedDocument = InferRow<typeof LISTED_DOCUMENT_COLUMNS>;

/** Returns one page, newest first, and the total. */
export async function findDocuments(
  reader: Reader,
  search: DocumentSearch,
): Promise<{ documents: ListedDocument[]; total: number }> {
  // Without words and content rules, the monthly counts give the total and the start of a far page.
  const isAll = search.words.length === 0 && reader.session.contentRules.length === 0;
  if (!isAll)
    return { documents: await findPage(reader, search), total: await count(reader, search) };
  const months = await countsByMonth(reader, reader.session.userId);
  const total = months.reduce((sum, { documents }) => sum + documents, 0);
  if (search.offset >= total) return { documents: [], total };
  return {
    documents: await findPage(reader, { ...search, ...findStart(months, search.offset) }),
    total,
  };
}

type PageStart = {
  /** Latest month to show. */
  readonly until?: string | undefined;
  /** Offset from the end of that month. */
  readonly offset: number;
};

function findStart(months: readonly MonthCount[], offset: number): PageStart {
  let later = 0;
  for (const { month, documents } of months) {
    if (later + documents > offset) return { until: month, offset: offset - later };
    later += documents;
  }
  return { offset };
}

async function findPage(
  reader: Reader,
  search: DocumentSearch & PageStart,
): Promise<ListedDocument[]> {
  const { limit, offset, until } = search;
  const isUntil = sql`document.taken_at <
    (${until ?? null}::timestamp + interval '1 month') at time zone 'utc'`;
  return queryRows(
    reader.db,
    LISTED_DOCUMENT_COLUMNS,
    sql`
    select asset.id, asset.file_name as "fileName",
      to_char(asset.taken_at at time zone 'utc', ${ISO}) as "takenAt",
      to_char(asset.local_taken_at, ${ISO}) as "localTakenAt",
      translate(encode(asset.thumbhash, 'base64'), E'\n', '') as thumbhash,
      exists (select from document_edit edit where edit.asset_id = asset.id)
        or exists (select from document_field field
          where field.asset_id = asset.id and field.action = 'correct') as "hasCorrections"
    from (
      select document.asset_id, document.taken_at from document
      where ${and(buildConditions(reader, search), until === undefined ? undefined : isUntil)}
      order by document.taken_at desc, document.asset_id desc
      limit ${limit} offset ${offset}
    ) page join ${ownAssets(reader.db, reader.session, 'library')} on asset.id = page.asset_id
    order by page.taken_at desc, page.asset_id desc`,
  );
}

async function count(reader: Reader, search: DocumentSearch): Promise<number> {
  const row = getRow(
    await queryRows(
      reader.db,
      { total: column.integer },
      sql`select count(*)::int as total from document where ${buildConditions(reader, search)}`,
    ),
  );
  return row.total;
}

const ISO = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`);

/** `is_listed` equals the scope 'library' of the owner. Words are found in every photo, not only in documents. */
function buildConditions({ db, session }: Reader, { words }: DocumentSearch): SQL {
  const holds = (word: string) =>
    sql`document.folded like ${`%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
  const conditions = words.map(({ word, mayBeMistyped, corrections }) =>
    or(
      ...[word, ...corrections].map(holds),
      ...(mayBeMistyped ? [sql`${word} <% document.folded`] : []),
    ),
  );
  if (session.contentRules.length > 0) {
    conditions.push(sql`exists (
      select 1 from ${ownAssets(db, session, 'library')} where asset.id = document.asset_id)`);
  }
  return joinWithAnd(
    sql`document.owner_id = ${session.userId}::uuid and document.is_listed`,
    words.length === 0 ? sql`document.fills_picture` : undefined,
    ...conditions,
  );
}

export type FoundAsset = {
  readonly id: string;
  readonly ownerId: string;
  readonly hasText: boolean;
};

/** Returns an asset that the session may see by its id. */
export async function findAsset(
  db: Db,
  session: Session,
  id: string,
): Promise<FoundAsset | undefined> {
  const asset = visibleAssets(db, session, 'any');
  const [row] = await db
    .select({
      id: asset.id,
      ownerId: asset.ownerId,
      hasText: sql<boolean>`${documents.assetId} is not null`,
    })
    .from(asset)
    .leftJoin(documents, eq(documents.assetId, asset.id))
    .where(eq(asset.id, id))
    .prepare('documents.find')
    .execute();
  return row;
}

export type LineRow = {
  readonly id: string;
  readonly assetId: string;
  readonly line: number;
  readonly text: string;
  readonly score: number;
  readonly boxScore: number;
  readonly quad: LineQuad;
  readonly isRead: boolean;
  readonly editId: string | null;
  readonly action: 'correct' | 'dismiss' | null;
  readonly corrected: string | null;
  readonly revision: number | null;
  readonly updatedAt: Date | null;
};

/** Returns the lines in reading order. */
export const listLines = (db: Db, assetIds: readonly string[]): Promise<LineRow[]> =>
  db
    .select({
      id: documentLines.id,
      assetId: documentLines.assetId,
      line: documentLines.line,
      text: documentLines.text,
      score: documentLines.score,
      boxScore: documentLines.boxScore,
      quad: documentLines.quad,
      isRead: documentLines.isRead,
      editId: documentEdits.id,
      action: documentEdits.action,
      corrected: documentEdits.text,
      revision: documentEdits.revision,
      updatedAt: documentEdits.updatedAt,
    })
    .from(documentLines)
    .leftJoin(
      documentEdits,
      and(
        eq(documentEdits.assetId, documentLines.assetId),
        eq(documentEdits.line, documentLines.line),
      ),
    )
    .where(sql`${documentLines.assetId} = ${anyOfIds(assetIds)}`)
    .orderBy(asc(documentLines.assetId), asc(documentLines.position), asc(documentLines.line))
    .prepare('documents.listLines')
    .execute();

export const listDecisions = (db: Db, assetId: string): Promise<DocumentFieldRow[]> =>
  db.select().from(documentFields).where(eq(documentFields.assetId, assetId));

type MonthCount = {
  /** The first day of it, in UTC. */
  readonly month: string;
  readonly documents: number;
};

const COLUMNS = { month: column.text, utcMonth: column.text, documents: column.integer };

/** By the month in UTC, in which order they are listed; what has changed is found by the month of capture. */
const DOCUMENTS: MonthSummary<readonly [month: string]> = {
  kind: 'documents',
  format: 2,
  async count(db, ownerId, months) {
    const isCounted = months
      ? sql`local_month = any(${`{${months.join(',')}}`}::date[])`
      : sql`true`;
    const rows = await queryPrepared(
      db,
      COLUMNS,
      sql`select local_month::text as month,
          date_trunc('month', taken_at at time zone 'utc')::date::text as "utcMonth",
          count(*)::int as documents
        from document where owner_id = ${ownerId} and is_listed and fills_picture
          and ${isCounted}
        group by local_month, 2`,
    );
    return rows.map(({ month, utcMonth, documents }) => ({
      month,
      parts: [utcMonth],
      count: documents,
      example: null,
    }));
  },
};

/** Returns how many documents the account lists by month, latest first; months without are left out. */
export async function countsByMonth(reader: SummaryReader, ownerId: string): Promise<MonthCount[]> {
  const summaries = await getSummaries(reader, DOCUMENTS, [ownerId]);
  return (summaries.get(ownerId) ?? [])
    .map(({ parts: [month], count }) => ({ month, documents: count }))
    .toSorted((a, b) => (a.month < b.month ? 1 : -1));
}
