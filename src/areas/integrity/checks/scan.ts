import type { JobCtx } from '../../../jobs/define.ts';
import type { Finding, Scan } from '../store.ts';

/** Result of a step of a scan. */
export type Step = {
  /** The scan has got so far. */
  readonly cursor: string;
  /** Files that it has looked at. */
  readonly checked: number;
  readonly unreadable?: number;
  /** Files with the fault. Paths are relative to the data folder. */
  readonly found?: readonly Finding[];
  /** Paths without the fault. */
  readonly solved?: readonly string[];
  /** Originals that were not found (SHA-256 in hex): a verdict only when the scan has seen all others. */
  readonly candidates?: readonly string[];
};

/** Goes on from the cursor of the scan until everything has been looked at. */
export type Check = (ctx: JobCtx, scan: Scan) => AsyncGenerator<Step>;
