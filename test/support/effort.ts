import { createRandom } from './random.ts';

// The effort of a run: `make test` tries as much as people wait for, `make test-full` what finds rare faults. Both
// run every test.

/** Whether this is a run of `make test-full`. */
export const isFull = process.env['SAFELIGHT_TEST_EFFORT'] === 'full';

/** Seed of the order of the tests and of every random choice in them, as the runner prints it. */
export const SEED = Number(process.env['SAFELIGHT_TEST_SEED'] ?? 1);

/** Returns how often a property is tried, a process killed, a round repeated in this run. */
export const effort = ({ quick, full }: { quick: number; full: number }): number =>
  isFull ? full : quick;

/** Returns random choices that are the same for the same seed and name. */
export const createSeededRandom = (name: string) =>
  createRandom(Number(Bun.hash(name, SEED) & 0xffff_ffffn));
