import { sql } from 'drizzle-orm';
import { bigint, boolean, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, xid8 } from './columns.ts';

export const changes = pgTable(
  'change',
  {
    scopeId: uuid('scope_id').notNull(),
    xid: xid8()
      .notNull()
      .default(sql`pg_current_xact_id()`),
    id: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    kind: text({
      enum: [
        'asset',
        'shown',
        'exif',
        'metadata',
        'edit',
        'stack',
        'partner',
        'user',
        'album',
        'album_user',
        'album_asset',
        'person',
        'face',
        'face_gone',
        'ocr',
        'ocr_gone',
        'memory',
        'memory_asset',
        'asset_unshared',
        'stack_unshared',
      ],
    }).notNull(),
    subjectId: uuid('subject_id').notNull(),
    otherId: uuid('other_id'),
    key: text(),
    isOpen: boolean('is_open').notNull().default(true),
    isShared: boolean('is_shared').notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.xid, table.id] })],
);

export const changeMarks = pgTable('change_mark', {
  takenAt: instant('taken_at').primaryKey().defaultNow(),
  xid: xid8().notNull(),
});

export const changeLogs = pgTable('change_log', {
  onlyRow: boolean('only_row').primaryKey().default(true),
  epoch: text().notNull().default(''),
  droppedBefore: xid8('dropped_before').notNull().default('0'),
});

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
