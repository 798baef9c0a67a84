import { type FileAccess, launch } from '../../../core/launch.ts';
import { buildChildEnvironment, getRoleCommand, listOwnFiles } from '../../../core/own-program.ts';
import { readProcessStat, watchProcess } from '../../../media/process-stat.ts';
import { killGroup } from '../../../media/programs.ts';
import type { FromChild, ToChild } from './messages.ts';

export type StreamChild = {
  /** A child that cannot be told anything has ended, or is ended. */
  send(message: ToChild): void;
  kill(): void;
};

/** A child that makes no progress for so long is ended. */
const STALL_MS = 60_000;

/**
 * Starts this program as the child of a stream, which talks to a stranger: it reaches UDP and `files` only. Its tools
 * are confined further. `onExit` is called once, whatever ends it.
 */
export function spawnStreamChild(
  files: Pick<FileAccess, 'read' | 'write'>,
  events: {
    readonly onMessage: (message: FromChild) => void;
    readonly onExit: () => void;
  },
): StreamChild {
  const command = launch(getRoleCommand('studio-stream'), {
    death: 'KILL',
    network: 'udp',
    files: { ...files, run: listOwnFiles(['@roamhq/wrtc']) },
  });
  const child = Bun.spawn(command, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: buildChildEnvironment(),
    serialization: 'advanced',
    ipc: (message: FromChild) => events.onMessage(message),
    onExit() {
      watch.stop();
      events.onExit();
    },
  });
  const kill = () => killGroup(child);
  const watch = watchProcess(() => readProcessStat(child.pid), kill, { stallMs: STALL_MS });
  // A request waits for it, or nobody.
  child.unref();
  return {
    send(message) {
      try {
        child.send(message);
      } catch {
        kill();
      }
    },
    kill,
  };
}
