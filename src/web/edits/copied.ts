import { createPersonalStore } from '../store.ts';
import type { PictureState } from './edit-data.ts';

/** The edits that were copied last, for photos that are to look the same. */
export const copiedEdits = createPersonalStore<PictureState | undefined>(undefined);
