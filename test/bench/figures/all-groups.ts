import type { Wanted } from './arguments.ts';
import type { Group } from './groups.ts';
import { createIngestGroup } from './ingest.group.ts';
import { createQueueGroup } from './queue.group.ts';
import { createReadsGroup } from './reads.group.ts';
import { startGroup } from './start.group.ts';
import { createStudioGroup } from './studio.group.ts';

export const GROUP_NAMES = ['start', 'ingest', 'reads', 'queue', 'studio'] as const;
/** Sizes of the table of figures. */
export const SIZES = [20_000, 160_000];
/** A comparison takes six times as long. */
export const COMPARED_SIZES = [20_000];
const PHOTOS = { photos: 200, recognised: 50 };
const JOBS = 10_000;
const FRAMES = 20;

/** Returns the groups that were asked for, in the order of the table. */
export function createGroups({ sizes, groups }: Wanted, usualSizes: readonly number[]): Group[] {
  const all: Group[] = [
    startGroup,
    createIngestGroup(PHOTOS),
    ...(sizes.length > 0 ? sizes : usualSizes).map(createReadsGroup),
    createQueueGroup(JOBS),
    createStudioGroup(FRAMES),
  ];
  return all.filter(({ name }) => groups.length === 0 || groups.includes(name));
}
