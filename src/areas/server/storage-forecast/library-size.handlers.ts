import type { JobHandler } from '../../../jobs/define.ts';
import type { recordLibrarySize } from '../jobs.ts';
import * as store from './library-size.store.ts';

export const handleRecordLibrarySize: JobHandler<typeof recordLibrarySize> = async ({
  db,
  now,
}) => {
  const bytes = await store.sumFiles(db);
  return (tx) => store.saveSize(tx, now(), bytes);
};
