import type { Lane } from '../core/lanes.ts';
import { readMemoryBytes } from '../core/machine.ts';
import { countCores, type Settings } from '../core/setting-table.ts';
import type { QueueName } from './define.ts';

/** Most concurrent jobs of queues in their lane, where administrators have chosen it. */
export type QueueLimits = { readonly [Queue in QueueName]?: number };

/** Queues with a choice. Their jobs in other lanes follow those lanes. */
export const LIMITED_QUEUES = {
  metadataExtraction: 'metadata',
  thumbnailGeneration: 'image',
  editor: 'image',
  videoConversion: 'video',
  smartSearch: 'inference',
  faceDetection: 'inference',
  ocr: 'inference',
  backgroundTask: 'background',
  notifications: 'background',
  search: 'background',
  workflow: 'background',
} as const satisfies Partial<Record<QueueName, Lane>>;
export type LimitedQueue = keyof typeof LIMITED_QUEUES;

/** Returns the concurrent jobs of a lane without limits. */
export function getLaneConcurrency(lane: Lane, { mediaConcurrency }: Settings): number {
  switch (lane) {
    case 'background':
      return 2;
    case 'metadata':
    case 'image':
      return mediaConcurrency ?? countCores();
    // An encoder uses every core by itself.
    case 'video':
      return 1;
    // Its child looks at one picture while it decodes the next ones.
    case 'inference':
      return 3;
  }
}

const MIB = 1024 ** 2;
const fit = (bytes: number) => Math.max(1, Math.floor(readMemoryBytes() / bytes));

/** The memory of the machine divided by what a job may need, or what more of them would not speed up. */
const MOST: Readonly<Record<Lane, number>> = {
  background: 8,
  metadata: Math.min(16, fit(256 * MIB)),
  image: Math.min(16, fit(512 * MIB)),
  video: Math.min(4, fit(2048 * MIB)),
  inference: 6,
};

/** Returns the limits that hold in a lane, none higher than the machine can bear. */
export const selectLimits = (lane: Lane, limits: QueueLimits): QueueLimits =>
  Object.fromEntries(
    Object.entries(limits)
      .filter(([queue]) => LIMITED_QUEUES[queue as LimitedQueue] === lane)
      .map(([queue, jobs]) => [queue, Math.min(jobs, MOST[lane])]),
  );
