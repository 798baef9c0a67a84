/** From here on a file is large: in the measurement of storage, and on the page that lists such files. */
export const LARGE_BYTES = 500_000_000;
