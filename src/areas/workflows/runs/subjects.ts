import type { UserSession } from '../../../access/session.ts';
import type { Deps } from '../../../core/context.ts';
import type { Facts } from './facts.ts';
import { readDoneTasks, readFacts } from './facts.store.ts';
import { encodeSentences } from './sentences.ts';
import { listFactGroups, listSentences, listTasks, type RunnableStep } from './steps.ts';

/** An asset as the filters of workflows see it. */
export type Subject = {
  readonly facts: Facts;
  /** Recognition tasks that have been done for it. */
  readonly done: ReadonlySet<string>;
};

/** Returns all that these steps ask about those of the assets that the session sees, by id. */
export async function readSubjects(
  deps: Pick<Deps, 'db' | 'settings' | 'log'>,
  session: UserSession,
  assetIds: readonly string[],
  steps: readonly RunnableStep[],
): Promise<Map<string, Subject>> {
  const { db } = deps;
  const sentences = await encodeSentences(deps, listSentences(steps));
  const facts = await readFacts(db, session, assetIds, listFactGroups(steps), sentences);
  const done = await readDoneTasks(db, assetIds, listTasks(steps));
  return new Map(
    Array.from(facts, ([id, known]) => [id, { facts: known, done: done.get(id) ?? NONE }]),
  );
}

const NONE: ReadonlySet<string> = new Set();
