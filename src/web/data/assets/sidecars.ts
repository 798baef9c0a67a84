import { isGuest } from '../../base/api.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';

const KEY = 'safelight-download-sidecars';

/** Whether downloads in this browser contain XMP files; guests get none. */
export const areSidecarsWanted = (): boolean => !isGuest() && readStorage(KEY) === 'true';

export const setSidecarsWanted = (isWanted: boolean): void =>
  writeStorage(KEY, isWanted ? 'true' : undefined);
