/** Long enough for a picture to be shown, or a download to begin. */
const DELAY_MS = 60_000;

/** Releases what an address of `URL.createObjectURL` holds, when nothing loads it any more. */
export const revokeLater = (url: string): void =>
  void setTimeout(() => URL.revokeObjectURL(url), DELAY_MS);
