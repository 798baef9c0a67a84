/** Identifies this life of the process (UUIDv7), on its main thread; the names of its workers begin with it. */
export const NODE_ID = Bun.randomUUIDv7();
