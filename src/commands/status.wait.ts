import { UsageError } from '../core/command-line.ts';
import { dataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import {
  describeState,
  isSettled,
  isWell,
  readServerState,
  type ServerState,
} from '../maintenance/server-state.ts';
import { print } from './command.ts';

const POLL_MS = 250;
/** Between two programs, as when the one of before takes over, none has told its state yet. */
const STOPPED_MS = 5000;

export function parseWait(text: string): number {
  const seconds = Number(text);
  if (text !== '' && Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new UsageError(`--wait must be a number of seconds, not '${text}'`);
}

/**
 * Prints what the server does until that stays as it is, or the time is over, for scripts that install it. It is 1
 * if the library is not served then, or not as it should be. Needs no database.
 */
export async function waitUntilServing(
  { dataDir }: Pick<Settings, 'dataDir'>,
  seconds: number,
): Promise<number> {
  const paths = dataPaths(dataDir);
  const end = performance.now() + seconds * 1000;
  let stoppedSince = performance.now();
  let told = '';
  for (;;) {
    const state = readServerState(paths);
    const text = toStep(state);
    if (text !== told) print((told = text));
    if (state.mode.kind !== 'stopped') stoppedSince = performance.now();
    const isOver = isSettled(state) && performance.now() - stoppedSince >= getPatience(state);
    if (isOver) return state.mode.kind === 'serving' && isWell(state) ? 0 : 1;
    if (performance.now() >= end) {
      print("It takes longer: 'safelight status' shows how far it is.");
      return 1;
    }
    await Bun.sleep(POLL_MS);
  }
}

const getPatience = ({ mode }: ServerState): number => (mode.kind === 'stopped' ? STOPPED_MS : 0);

/** A line for each step, not for each percent. */
const toStep = (state: ServerState): string =>
  state.mode.kind === 'updating'
    ? describeState({ ...state, mode: { ...state.mode, progress: undefined } })
    : describeState(state);
