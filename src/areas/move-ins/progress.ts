import type { JobCtx } from '../../jobs/define.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockOperation, updateOperation } from '../../operations/store.ts';
import { describeNote, type ImportNote, type ImportReport } from '../imports/index.ts';
import { moveInKind, type MoveInOperation, type MoveInProgress } from './kind.ts';
import type { NamedFace } from './faces.ts';
import { insertFaces } from './faces.store.ts';
import { insertFailures, insertNotes, type MoveInFailure } from './store.ts';

/** The progress is saved, and a pause or cancellation noticed, every so many milliseconds. */
const SAVE_MS = 1000;

/**
 * Saves the progress of a run. The signal is aborted once the operation is not that of this run any more: it was
 * paused, cancelled, or is run again.
 */
export function saveProgress(
  ctx: Pick<JobCtx, 'db' | 'restartTimeLimit'>,
  operation: MoveInOperation,
) {
  const controller = new AbortController();
  let progress = operation.progress;
  let failures: MoveInFailure[] = [];
  let notes: MoveInFailure[] = [];
  let faces: NamedFace[] = [];

  const save = async () => {
    // Each request has a deadline: a move takes as long as it takes.
    ctx.restartTimeLimit();
    const unsaved = { failures, notes, faces };
    [failures, notes, faces] = [[], [], []];
    const isOurs = await inTransaction(ctx, async ({ db }) => {
      const locked = await lockOwn(db, operation);
      if (!locked) return false;
      await insertFailures(db, operation.id, unsaved.failures);
      await insertNotes(db, operation.id, unsaved.notes);
      await insertFaces(db, unsaved.faces);
      await updateOperation(db, moveInKind, locked, { progress });
      return true;
    }).catch((error: unknown) => {
      failures = [...unsaved.failures, ...failures];
      notes = [...unsaved.notes, ...notes];
      faces = [...unsaved.faces, ...faces];
      throw error;
    });
    if (!isOurs) controller.abort(new Error('The move was paused or cancelled'));
  };
  let saving = Promise.resolve();
  const timer = setInterval(() => {
    saving = saving.then(save).catch(() => undefined);
  }, SAVE_MS);

  return {
    signal: controller.signal,
    /** Saves now. Throws where that is not possible. */
    flush(): Promise<void> {
      const saved = saving.then(save);
      saving = saved.catch(() => undefined);
      return saved;
    },
    set: (change: Partial<MoveInProgress>): void => void (progress = { ...progress, ...change }),
    setReport: (report: ImportReport): void =>
      void (progress = { ...progress, ...addReport(operation.progress, report) }),
    addFailure({ path: name, reason }: { readonly path: string; readonly reason: string }): void {
      failures.push({ position: progress.failures, name: toListed(name), reason });
      progress = { ...progress, failures: progress.failures + 1 };
    },
    /** Lists a file that was dealt with. */
    addNote({ path, ...note }: ImportNote): void {
      const position = progress.noted ?? 0;
      notes.push({ position, name: toListed(path), reason: describeNote(note) });
      progress = { ...progress, noted: position + 1 };
    },
    addFaces: (added: readonly NamedFace[]): void => void faces.push(...added),
    /** Saves the rest. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await saving;
      if (!controller.signal.aborted) await save();
    },
  };
}

/** The run of a move, which ends once the signal is aborted. */
export type Run = {
  readonly signal: AbortSignal;
  readonly progress: ReturnType<typeof saveProgress>;
};

/** Characters of the names that are listed: the other server may send anything. */
const NAME_LENGTH = 255;

const toListed = (name: string): string => name.replaceAll('\0', '').slice(0, NAME_LENGTH);

/** Locks an operation, if this run is still its own. */
export async function lockOwn(
  db: JobCtx['db'],
  { id, revision }: MoveInOperation,
): Promise<MoveInOperation | undefined> {
  const locked = await lockOperation(db, moveInKind, id);
  return locked?.state === 'running' && locked.revision === revision ? locked : undefined;
}

/** Adds the report of a run to what earlier ones have done: what they have taken in is no duplicate. */
function addReport(before: MoveInProgress, report: ImportReport): Partial<MoveInProgress> {
  return {
    taken: before.taken + report.taken,
    takenBytes: before.takenBytes + report.takenBytes,
    livePhotos: before.livePhotos + report.livePhotos,
    stacks: before.stacks + report.stacks,
    albumItems: before.albumItems + report.albumItems,
    duplicates: Math.max(0, report.duplicates - before.taken),
    inTrash: report.inTrash,
    others: Object.values(report.others).reduce((sum, count) => sum + count, 0),
  };
}
