import type { Application } from '../application.ts';
import type { Log } from '../core/log.ts';
import { dropReplaced, getReplacedAt, listReplaced } from './replacement.ts';
import type { StateReporter } from './server-state.ts';
import type { MaintenanceState } from './state.ts';

type Options = {
  readonly log: Log;
  readonly databaseUrl: string;
  readonly application: Application;
  readonly interrupted: MaintenanceState['interrupted'];
};

/** Whatever has happened before the library was served again: cleans up after it, and tells administrators. */
export async function tellServed(options: Options): Promise<void> {
  const { log, databaseUrl, application, interrupted } = options;
  try {
    if (!interrupted) return;
    const text = `${interrupted.text} ${await describeOutcome(databaseUrl, interrupted.startedAt)}`;
    log.warn(text);
    await application.tellAdmins('Maintenance interrupted', text);
  } catch (error) {
    log.error('telling what has happened before failed', { error });
  } finally {
    dropReplaced(databaseUrl, new Date(0)).then(
      (dropped) => dropped.length > 0 && log.info('dropped unfinished databases', { dropped }),
      (error: unknown) => log.warn('dropping unfinished databases failed', { error }),
    );
  }
}

/** The swap is one transaction: either it has happened, or nothing has. */
async function describeOutcome(databaseUrl: string, startedAt: string): Promise<string> {
  const last = (await listReplaced(databaseUrl)).at(-1);
  // Names have no milliseconds.
  const from = Math.floor(Date.parse(startedAt) / 1000) * 1000;
  return last !== undefined && getReplacedAt(last).getTime() >= from
    ? 'It was complete, and the library is served as it is then.'
    : 'Nothing has changed: the library is served as it was before.';
}

const CHECK_MS = 5000;
const DEADLINE_MS = 5000;

/** Tells what hinders a library that is served, now and from now on. Returns what ends that. */
export async function watchProblems(
  application: Application,
  state: StateReporter,
): Promise<() => void> {
  let isChecking = false;
  let isEnded = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    const late = Bun.sleep(DEADLINE_MS).then(() => {
      throw new Error('It does not answer');
    });
    const problems = await Promise.race([application.findProblems(), late]).catch(
      ({ message }: Error) => [
        { kind: 'databaseAway', text: `The database cannot be reached: ${message}` } as const,
      ],
    );
    if (!isEnded) state.setProblems(problems);
    isChecking = false;
  };
  await check();
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
