import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const systemConfigs = pgTable('system_config', {
  section: text().primaryKey(),
  value: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
