import { createStore } from '../../base/store.ts';

/** The type of its data, which nothing but the timeline takes. */
export const DRAGGED = 'application/x-safelight-medium';

/** Adds the medium that is dragged to the film; undefined while none is. */
export const dragged = createStore<(() => void) | undefined>(undefined);
