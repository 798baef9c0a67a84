import type { Deps } from '../../core/context.ts';
import type { Vectors } from './types.ts';

/** The vectors of this thread's database. */
export function vectorsOf(_deps: Pick<Deps, 'sql' | 'settings' | 'log'>): Vectors {
  throw new Error('not built yet');
}
