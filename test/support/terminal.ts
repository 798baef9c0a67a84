import { getProgram } from './program.ts';
import { until } from './until.ts';

/** Runs `safelight ARGS` in this folder, in a terminal of its own. */
export function runInTerminal(cwd: string, args: string[]) {
  const { DATABASE_URL: _, ...env } = process.env;
  let text = '';
  const decoder = new TextDecoder();
  const child = Bun.spawn([...getProgram(), ...args], {
    cwd,
    env,
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => void (text += decoder.decode(data, { stream: true })),
    },
  });
  return {
    exited: child.exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Everything that was shown so far. */
    read: () => text,
    write: (keys: string) => void child.terminal!.write(keys),
    until: (condition: (text: string) => boolean) => until(() => condition(text)),
  };
}
