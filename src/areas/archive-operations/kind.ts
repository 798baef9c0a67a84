import { type Static, Type } from 'typebox';
import { defineOperation, type Operation } from '../../operations/define.ts';
import { runArchive } from './jobs.ts';

const Count = Type.Integer({ minimum: 0 });
const Instant = Type.Union([Type.String(), Type.Null()]);

const Payload = Type.Object({
  /** How the items were chosen. */
  source: Type.Union([Type.Literal('timeline'), Type.Literal('selection')]),
});

const Progress = Type.Object({
  archived: Count,
  /** Not archived, since they had changed. */
  skipped: Count,
  /** Restored by the undo. */
  restored: Count,
  /** Left archived by the undo, since they had changed. */
  kept: Count,
  confirmedAt: Instant,
  undoRequestedAt: Instant,
  undoneAt: Instant,
});

/** Moves of many items from the Timeline to the archive, with an undo. */
export const archiveKind = defineOperation({
  name: 'archive',
  job: runArchive,
  payload: Payload,
  progress: Progress,
  start: {
    archived: 0,
    skipped: 0,
    restored: 0,
    kept: 0,
    confirmedAt: null,
    undoRequestedAt: null,
    undoneAt: null,
  },
});

export type ArchiveOperation = Operation<Static<typeof Payload>, Static<typeof Progress>>;
