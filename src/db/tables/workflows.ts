import { boolean, integer, jsonb, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const WORKFLOW_TRIGGERS = ['AssetCreate', 'AssetMetadataExtraction', 'AssetTagged'] as const;
export type WorkflowTrigger = (typeof WORKFLOW_TRIGGERS)[number];
export const WORKFLOW_RESULTS = ['completed', 'halted', 'error'] as const;
export type WorkflowResult = (typeof WORKFLOW_RESULTS)[number];

/** A filter or an action. `method` is `plugin#name`. */
export type WorkflowStep = {
  readonly method: string;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly enabled: boolean;
};

export const workflows = pgTable('workflow', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  trigger: text({ enum: WORKFLOW_TRIGGERS }).notNull(),
  name: text(),
  description: text(),
  steps: jsonb().$type<readonly WorkflowStep[]>().notNull(),
  apiKeyId: uuid('api_key_id'),
  isEnabled: boolean('is_enabled').notNull(),
  isLogging: boolean('is_logging').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type WorkflowRow = typeof workflows.$inferSelect;

export const workflowRuns = pgTable('workflow_run', {
  id: uuid().primaryKey(),
  runId: uuid('run_id').notNull(),
  attempt: integer().notNull(),
  workflowId: uuid('workflow_id').notNull(),
  assetId: uuid('asset_id').notNull(),
  depth: smallint().notNull(),
  backfillId: uuid('backfill_id'),
  nextStep: integer('next_step').notNull().default(0),
  waitsFor: text('waits_for'),
  result: text({ enum: WORKFLOW_RESULTS }),
  isLogged: boolean('is_logged').notNull(),
  lastStep: integer('last_step'),
  lastMethod: text('last_method'),
  error: text(),
  createdAt: instant('created_at').notNull(),
  finishedAt: instant('finished_at'),
});
export type WorkflowRunRow = typeof workflowRuns.$inferSelect;

export const workflowBackfills = pgTable('workflow_backfill', {
  runId: uuid('run_id').primaryKey(),
  workflowId: uuid('workflow_id').notNull(),
  isPaused: boolean('is_paused').notNull().default(false),
  total: integer().notNull(),
  evaluated: integer().notNull().default(0),
  matched: integer().notNull().default(0),
  waiting: integer().notNull().default(0),
  afterCreatedAt: instant('after_created_at'),
  afterId: uuid('after_id'),
  keepsChanges: boolean('keeps_changes').notNull().default(true),
  undoneAt: instant('undone_at'),
});
