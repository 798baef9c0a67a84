import type { Row } from './measures.ts';
import type { Target } from './server.ts';

/** Something that is measured at once. Steps of different targets take turns, each several times. */
export type Step = { readonly name: string; readonly run: () => Promise<readonly Row[]> };

/** A group of one target; all targets have the same steps. */
export type OpenGroup = { readonly steps: readonly Step[]; readonly close: () => Promise<void> };

/** Measures that need the same preparation. */
export type Group = {
  readonly name: string;
  /** Number of times that a comparison repeats each step. */
  readonly rounds: number;
  /** Prepares all targets alike. */
  readonly open: (targets: readonly Target[]) => Promise<readonly OpenGroup[]>;
};

/** Returns a group whose targets need no preparation in common. */
export const defineGroup = (
  name: string,
  rounds: number,
  openOne: (target: Target) => Promise<OpenGroup>,
): Group => ({
  name,
  rounds,
  async open(targets) {
    const opened: OpenGroup[] = [];
    for (const target of targets) opened.push(await openOne(target));
    return opened;
  },
});

/**
 * Measures a group of all targets: each step as often as `rounds` says, the targets in turns. Returns the rows of
 * each target. A step that fails is a row with a note, and `onFailure` is told; so is a whole group.
 */
export async function measureGroup(
  group: Group,
  targets: readonly Target[],
  { rounds, onFailure }: { readonly rounds: number; readonly onFailure: (error: Error) => void },
): Promise<Row[][]> {
  const rows = targets.map((): Row[] => []);
  const fail = (name: string, error: Error): Row => {
    onFailure(error);
    return { table: 'Failed', name: `${group.name}: ${name}`, values: {}, note: firstLine(error) };
  };
  let opened: readonly OpenGroup[] = [];
  try {
    opened = await group.open(targets);
  } catch (error) {
    rows[0]!.push(fail('preparation', error as Error));
  }
  for (const [step] of (opened[0]?.steps ?? []).entries()) {
    for (let round = 0; round < rounds; round++) {
      for (const [at, { steps }] of opened.entries()) {
        const { name, run } = steps[step]!;
        const measured = await run().catch((error: Error) => [fail(name, error)]);
        rows[at]!.push(...measured);
      }
    }
  }
  for (const { close } of opened) await close();
  return rows;
}

const firstLine = ({ message }: Error): string => message.split('\n')[0]!;
