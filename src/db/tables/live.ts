import { pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const liveListeners = pgTable(
  'live_listener',
  {
    userId: uuid('user_id').notNull(),
    serverId: uuid('server_id').notNull(),
    until: instant('until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.serverId] })],
);
