import { createPersonalStore } from '../../base/store.ts';
import type { PictureState } from '../../data/edits/edit-data.ts';

/** The edits that were copied last, for photos that are to look the same. */
export const copiedEdits = createPersonalStore<PictureState | undefined>(undefined);
