import { t } from 'elysia';
import { REPORT_TYPES } from '../../db/tables/integrity.ts';
import { stringEnum, Timestamp, Uuid, Uuid7 } from '../../http/schemas.ts';

const IntegrityReport = stringEnum(REPORT_TYPES, { title: 'IntegrityReport' });
const Count = t.Integer({ minimum: 0 });

export const ReportParams = t.Object({ id: Uuid7 });
export const TypeParams = t.Object({ type: IntegrityReport });

export const ReportQuery = t.Object({
  type: IntegrityReport,
  cursor: t.Optional(t.String()),
  limit: t.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 500 }),
});
export type ReportQuery = typeof ReportQuery.static;

const IntegrityReportItemDto = t.Object(
  {
    id: Uuid7,
    /** Relative to the data folder. */
    path: t.String(),
    type: IntegrityReport,
    /** An item whose file it is, outside the trash if there is one; null: no item has it. */
    assetId: t.Nullable(Uuid),
    /** Null: derived files are made again when they are missing, and are no entries. */
    fileAssetId: t.Null(),
    /** First time that it was found. */
    createdAt: Timestamp,
  },
  { title: 'IntegrityReportDto' },
);

export const IntegrityReportResponseDto = t.Object(
  {
    items: t.Array(IntegrityReportItemDto),
    /** Left out on the last page. */
    nextCursor: t.Optional(t.String()),
  },
  { title: 'IntegrityReportResponseDto' },
);
export type ReportPage = typeof IntegrityReportResponseDto.static;

export const IntegrityReportSummaryResponseDto = t.Object(
  { untracked_file: Count, missing_file: Count, checksum_mismatch: Count },
  { title: 'IntegrityReportSummaryResponseDto' },
);
export type Summary = typeof IntegrityReportSummaryResponseDto.static;

const IntegrityCheckRunDto = t.Object(
  {
    /** End of the last run that has seen all files; null: there was none. */
    lastCompletedAt: t.Nullable(Timestamp),
    isRunning: t.Boolean(),
  },
  { title: 'IntegrityCheckRunDto' },
);

export const IntegrityCheckRunsResponseDto = t.Object(
  {
    untracked_file: IntegrityCheckRunDto,
    missing_file: IntegrityCheckRunDto,
    checksum_mismatch: IntegrityCheckRunDto,
  },
  { title: 'IntegrityCheckRunsResponseDto' },
);
export type CheckRuns = typeof IntegrityCheckRunsResponseDto.static;
