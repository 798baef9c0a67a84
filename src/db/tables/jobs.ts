import {
  bigint,
  boolean,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const jobs = pgTable('job', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull(),
  queue: text().notNull(),
  lane: text().notNull(),
  payload: jsonb().notNull(),
  uniqueKey: text('unique_key'),
  priority: smallint().notNull().default(0),
  state: text({ enum: ['waiting', 'running', 'failed', 'cancelled'] })
    .notNull()
    .default('waiting'),
  attempt: integer().notNull().default(0),
  correlationId: text('correlation_id'),
  itemId: uuid('item_id'),
  startedAt: instant('started_at'),
  failures: integer().notNull().default(0),
  faults: integer().notNull().default(0),
  runAt: instant('run_at').notNull().defaultNow(),
  leaseUntil: instant('lease_until'),
  worker: text(),
  lastError: text('last_error'),
  createdAt: instant('created_at').notNull().defaultNow(),
  finishedAt: instant('finished_at'),
  isReported: boolean('is_reported').notNull().default(false),
});

export const schedules = pgTable('schedule', {
  name: text().primaryKey(),
  nextAt: instant('next_at').notNull(),
  cron: text(),
});

export const JOB_RUN_TRIGGERS = ['manual', 'schedule', 'upload', 'system'] as const;
export type JobRunTrigger = (typeof JOB_RUN_TRIGGERS)[number];
export const JOB_RUN_TARGETS = ['asset', 'person', 'user', 'library', 'file', 'none'] as const;
export type JobRunTarget = (typeof JOB_RUN_TARGETS)[number];
