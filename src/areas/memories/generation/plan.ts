import type { MemorySubject } from '../../../db/tables/memories.ts';
import type { RuleView } from '../show-less/store.ts';
import type { Candidate } from './candidates.store.ts';
import type { Draft } from './save.store.ts';

export type PlanInput = {
  /** Days on which the memories are shown first, as '2026-11-21'. */
  readonly days: readonly string[];
  readonly rules: readonly RuleView[];
  /** Memories with these keys were made already. */
  readonly known: ReadonlySet<string>;
  readonly now: Date;
};

export type PlannedDraft = Draft & {
  /** With fewer good pictures there is no memory. */
  readonly least: number;
};

/** A memory whose pictures are not chosen yet. */
export type Plan = {
  readonly draft: Omit<PlannedDraft, 'assetIds'>;
  readonly candidates: readonly Candidate[];
  /** Names what the chosen pictures show. */
  readonly describe?: (members: readonly Candidate[]) => MemorySubject;
};

/** Good pictures that a memory of a person, a pet or a place needs. */
export const LEAST_OF_SUBJECT = 5;
/** Days for which such a memory is shown. */
export const SHOWN_DAYS = 3;
