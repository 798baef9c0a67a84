/** Each lane has its own slots, limits and pauses: heavy work cannot starve light work. */
export const LANES = ['background', 'metadata', 'image', 'video', 'inference'] as const;
export type Lane = (typeof LANES)[number];

/** Child processes do most of their work. */
const LIGHT: ReadonlySet<Lane> = new Set(['metadata', 'image', 'video']);
/** With more, the JavaScript of one thread would limit the children. */
const MOST_SHARED_CORES = 4;

/**
 * Returns the lanes of each worker thread on a machine with so many cores. A thread takes 25 to 30 MiB, and its
 * connections as much again of the database: on small machines the light lanes share one.
 */
export function groupByThread(lanes: readonly Lane[], cores: number): Lane[][] {
  const isShared = (lane: Lane) => cores <= MOST_SHARED_CORES && LIGHT.has(lane);
  const shared = lanes.filter(isShared);
  const alone = lanes.filter((lane) => !isShared(lane)).map((lane) => [lane]);
  return shared.length > 0 ? [...alone, shared] : alone;
}
