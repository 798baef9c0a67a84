import { tooManyRequests } from '../core/errors.ts';

/**
 * Password hashing takes 20 ms of a core and 19 MiB, and runs on the thread pool that also reads and
 * writes files. So few run at once, and of those that strangers order at most one: a flood of logins
 * takes one core and never the turn of somebody who is known.
 */
const MAX_RUNNING = 2;
const MAX_RUNNING_STRANGERS = 1;
/** Waiting requests of one source, and of all strangers together. */
const MAX_WAITING_PER_SOURCE = 500;
const MAX_WAITING_STRANGERS = 2000;
const RETRY_AFTER_SECONDS = 5;

export type Orderer = {
  /** Who orders the work, as a network or an account: sources take turns, each with one at a time. */
  readonly source: string;
  /** Logged in, or on a device or network that has signed in before: goes before strangers. */
  readonly isKnown: boolean;
};

type Job = { readonly run: () => void; readonly refuse: (error: Error) => void };

/** Jobs by source, in the order in which the sources take their turns. */
type Queue = Map<string, Job[]>;

const known: Queue = new Map();
const strangers: Queue = new Map();
const running = new Set<string>();
let runningCount = 0;
let runningStrangers = 0;
let waitingStrangers = 0;

/** Runs `work` when it is its turn. Throws 429 when too much of the same source waits already. */
export async function inHashQueue<T>(
  { source, isKnown }: Orderer,
  work: () => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  enqueue(isKnown, source, { run: resolve, refuse: reject });
  startNext();
  await promise;
  try {
    return await work();
  } finally {
    running.delete(source);
    runningCount--;
    if (!isKnown) runningStrangers--;
    startNext();
  }
}

function enqueue(isKnown: boolean, source: string, job: Job): void {
  const queue = isKnown ? known : strangers;
  const waiting = queue.get(source);
  if (waiting && waiting.length >= MAX_WAITING_PER_SOURCE) throw busy();
  if (!isKnown && ++waitingStrangers > MAX_WAITING_STRANGERS) dropLongest();
  if (queue.get(source)?.push(job) === undefined) queue.set(source, [job]);
}

/** Makes room at the cost of the source that takes most. */
function dropLongest(): void {
  const [source, jobs] = [...strangers].reduce((a, b) => (b[1].length > a[1].length ? b : a));
  const last = jobs.pop();
  if (jobs.length === 0) strangers.delete(source);
  waitingStrangers--;
  last?.refuse(busy());
}

const busy = () => tooManyRequests('Too many attempts, try again later', RETRY_AFTER_SECONDS);

function startNext(): void {
  while (runningCount < MAX_RUNNING) {
    const isStranger = !findSource(known);
    if (isStranger && runningStrangers >= MAX_RUNNING_STRANGERS) return;
    const queue = isStranger ? strangers : known;
    const source = findSource(queue);
    if (source === undefined) return;
    running.add(source);
    runningCount++;
    if (isStranger) {
      runningStrangers++;
      waitingStrangers--;
    }
    takeFirst(queue, source).run();
  }
}

function findSource(queue: Queue): string | undefined {
  for (const source of queue.keys()) if (!running.has(source)) return source;
  return undefined;
}

/** The source goes to the end of the line. */
function takeFirst(queue: Queue, source: string): Job {
  const jobs = queue.get(source)!;
  const job = jobs.shift()!;
  queue.delete(source);
  if (jobs.length > 0) queue.set(source, jobs);
  return job;
}
