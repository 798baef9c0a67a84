import { tooManyRequests } from '../core/errors.ts';
import { requireValue } from '../core/required.ts';

/**
 * Hashing a password takes 20 ms of a core and 19 MiB, on the thread pool that also does file I/O. So few
 * run at once, and at most one for unknown clients: a flood of logins takes one core and never delays a
 * known client.
 */
const MAX_RUNNING = 2;
const MAX_RUNNING_STRANGERS = 1;
/** Limits of waiting requests: per source, and of all unknown clients together. */
const MAX_WAITING_PER_SOURCE = 500;
const MAX_WAITING_STRANGERS = 2000;
const RETRY_AFTER_SECONDS = 5;

export type HashRequester = {
  /** A network or an account: sources take turns, each with one job at a time. */
  readonly source: string;
  /** Signed in, or on a device or network that has signed in before: runs before unknown clients. */
  readonly isKnown: boolean;
};

type Job = { readonly run: () => void; readonly refuse: (error: Error) => void };

/** Jobs by source, in the order of the sources' turns. */
type Queue = Map<string, Job[]>;

const known: Queue = new Map();
const strangers: Queue = new Map();
const running = new Set<string>();
let runningCount = 0;
let runningStrangers = 0;
let waitingStrangers = 0;

/** Runs `work` when its turn comes and returns its result. Throws 429 when too many wait. */
export async function runInHashQueue<T>(
  { source, isKnown }: HashRequester,
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
  if (waiting && waiting.length >= MAX_WAITING_PER_SOURCE) throw createBusyError();
  if (!isKnown && ++waitingStrangers > MAX_WAITING_STRANGERS) dropLongest();
  if (queue.get(source)?.push(job) === undefined) queue.set(source, [job]);
}

/** Refuses the last job of the source with the longest queue. */
function dropLongest(): void {
  const [source, jobs] = [...strangers].reduce((a, b) => (b[1].length > a[1].length ? b : a));
  const last = jobs.pop();
  if (jobs.length === 0) strangers.delete(source);
  waitingStrangers--;
  last?.refuse(createBusyError());
}

const createBusyError = () =>
  tooManyRequests('Too many attempts, try again later', RETRY_AFTER_SECONDS);

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

/** Removes the first job of the source and moves the source to the end. */
function takeFirst(queue: Queue, source: string): Job {
  const jobs = requireValue(queue.get(source), 'job of a source');
  const job = requireValue(jobs.shift(), 'job of a source');
  queue.delete(source);
  if (jobs.length > 0) queue.set(source, jobs);
  return job;
}
