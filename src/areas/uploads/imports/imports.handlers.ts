import type { JobHandler } from '../../../jobs/define.ts';
import type { reportImports } from '../jobs.ts';
import { reportImport } from './imports.domain.ts';
import { listAccountIds } from './imports.store.ts';

export const handleReportImports: JobHandler<typeof reportImports> = async ({ db, now }) => {
  for (const userId of await listAccountIds(db)) {
    await db.transaction((tx) => reportImport(tx, userId, now()));
  }
};
