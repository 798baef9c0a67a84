// The measures of the table of figures, in the order of its columns: those first that other machines find
// about the same. Used by the table and by the comparison alike.

export type Measure = {
  /** Head of its column, with its unit. */
  readonly title: string;
  readonly better: 'lower' | 'higher';
  /** Depends on the program more than on the speed of the machine and on chance. */
  readonly isPortable: boolean;
  /** After the decimal point. */
  readonly digits: number;
  /** Smaller differences are not reported. */
  readonly least: number;
};

const lower = (title: string, digits: number, least: number): Measure => ({
  title,
  better: 'lower',
  isPortable: true,
  digits,
  least,
});

export const MEASURES = {
  cpuMs: lower('CPU, ms', 0, 20),
  serverCpuMs: lower('server CPU, ms', 2, 0.03),
  databaseCpuMs: lower('database CPU, ms', 2, 0.03),
  statements: lower('statements', 1, 0.5),
  plans: lower('plans', 2, 0.2),
  blocks: lower('blocks', 0, 3),
  // It varies with what earlier answers have left in the memory of the server.
  firstBlocks: { ...lower('blocks of the first', 0, 20), isPortable: false },
  walKiB: lower('WAL, KiB', 0, 16),
  bytes: lower('bytes', 0, 32),
  idleMiB: lower('idle, MiB', 0, 5),
  after15MiB: lower('15 s after, MiB', 0, 5),
  after75MiB: lower('75 s after, MiB', 0, 5),
  peakMiB: lower('peak, MiB', 0, 10),
  restartedMiB: lower('restarted and idle, MiB', 0, 5),
  ms: { ...lower('ms', 1, 1), isPortable: false },
  firstMs: { ...lower('ms of the first', 0, 10), isPortable: false },
  perSecond: { ...lower('per second', 1, 0), isPortable: false, better: 'higher' },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** A line of a table: what was measured, and its values. */
export type Row = {
  readonly table: string;
  readonly name: string;
  readonly values: Readonly<Partial<Record<MeasureName, number>>>;
  /** Instead of values: 'none' where the program does not have it, or why it was not measured. */
  readonly note?: string;
};

/** Returns the middle value; of an even number, the lower of the two. Throws when there is none. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new Error('no values');
  return middle;
}
