import { sql } from 'drizzle-orm';
import { definePeriodicJob } from '../../jobs/define.ts';

/** Rebuilds the full-text vectors of changed assets. */
export const indexText = definePeriodicJob({
  name: 'search.indexText',
  queue: 'search',
  attempts: 3,
  everyMinutes: 1,
  hasWork: sql`exists (select from asset_text_change)`,
});
