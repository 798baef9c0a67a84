import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const syncCheckpoints = pgTable(
  'sync_checkpoint',
  {
    sessionId: uuid('session_id').notNull(),
    entityType: text('entity_type').notNull(),
    ack: text(),
    locked: text({ enum: ['none', 'some', 'all'] })
      .notNull()
      .default('none'),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.entityType] })],
);
