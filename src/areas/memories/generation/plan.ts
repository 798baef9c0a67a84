import type { Candidate } from './candidates.store.ts';
import type { Draft } from './save.store.ts';

/** A memory whose pictures are not chosen yet. */
export type Plan = {
  readonly draft: Omit<Draft, 'assetIds'>;
  readonly candidates: readonly Candidate[];
  /** With fewer good pictures there is no memory. */
  readonly least: number;
};
