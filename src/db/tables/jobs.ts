import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
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

export const jobFaults = pgTable('job_fault', {
  name: text().primaryKey(),
  lane: text().notNull(),
  error: text().notNull(),
  since: instant('since').notNull().defaultNow(),
  isReported: boolean('is_reported').notNull().default(false),
});

export const clockSpans = pgTable('clock_span', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  bootId: text('boot_id').notNull(),
  uptimeMs: doublePrecision('uptime_ms').notNull(),
  startedAt: instant('started_at').notNull(),
  fromMs: doublePrecision('from_ms').notNull(),
  toMs: doublePrecision('to_ms').notNull(),
  uncountedMs: doublePrecision('uncounted_ms').notNull(),
  isReported: boolean('is_reported').notNull().default(false),
});

export const jobsDone = pgTable('job_done', {
  queue: text().notNull(),
  jobs: bigint({ mode: 'number' }).notNull().default(0),
  failed: bigint({ mode: 'number' }).notNull().default(0),
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

export const jobRuns = pgTable('job_run', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  queue: text().notNull(),
  trigger: text({ enum: JOB_RUN_TRIGGERS }).notNull(),
  isForced: boolean('is_forced').notNull(),
  requestedBy: uuid('requested_by'),
  items: integer().notNull().default(0),
  countedAt: instant('counted_at'),
  cancelledAt: instant('cancelled_at'),
  error: text(),
  createdAt: instant('created_at').notNull(),
});

export const jobRunItems = pgTable('job_run_item', {
  id: uuid().primaryKey(),
  runId: uuid('run_id').notNull(),
  position: integer().notNull(),
  targetType: text('target_type', { enum: JOB_RUN_TARGETS }).notNull(),
  targetId: uuid('target_id'),
  status: text({ enum: ['succeeded', 'failed', 'skipped'] }),
  attempts: integer().notNull().default(0),
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at'),
  error: text(),
});

export const jobRunCounts = pgTable('job_run_count', {
  runId: uuid('run_id').notNull(),
  succeeded: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  skipped: integer().notNull().default(0),
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at').notNull(),
});
