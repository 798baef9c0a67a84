import { bigint, boolean, integer, jsonb, pgTable, smallint, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const queues = pgTable('queue', {
  name: text().primaryKey(),
  isPaused: boolean('is_paused').notNull().default(false),
});

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
  failures: integer().notNull().default(0),
  runAt: instant('run_at').notNull().defaultNow(),
  leaseUntil: instant('lease_until'),
  worker: text(),
  lastError: text('last_error'),
  createdAt: instant('created_at').notNull().defaultNow(),
  finishedAt: instant('finished_at'),
  isReported: boolean('is_reported').notNull().default(false),
});

export const jobsDone = pgTable('job_done', {
  queue: text().notNull(),
  jobs: bigint({ mode: 'number' }).notNull(),
});

export const schedules = pgTable('schedule', {
  name: text().primaryKey(),
  nextAt: instant('next_at').notNull(),
});
