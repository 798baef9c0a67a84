import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** How far the copy of a session is, by type. The log itself is read by hand-written SQL only. */
export const syncCheckpoints = pgTable(
  'sync_checkpoint',
  {
    sessionId: uuid('session_id').notNull(),
    entityType: text('entity_type').notNull(),
    ack: text(),
    /** Whether the copy may hold what is Locked. */
    locked: text({ enum: ['none', 'some', 'all'] })
      .notNull()
      .default('none'),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.entityType] })],
);
