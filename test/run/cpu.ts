import { getCpuMsWithEnded } from '../bench/processes.ts';

let leftOutMs = 0;

const TEXT = JSON.stringify(
  Array.from({ length: 400 }, (_, n) => ({ n, name: `a name ${n}`, list: [n, n + 1] })),
);

/** Returns the processor time of a fixed piece of work in ms: more on a slower machine, and on a busy one. */
export function measureWork(): number {
  const before = process.cpuUsage();
  for (let n = 0; n < 20; n++) JSON.parse(TEXT);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the processor time of this process and of its children that have ended, in ms. */
export const readOwnCpuMs = (): number => getCpuMsWithEnded(process.pid);

/** Keeps the processor time since then from counting for any file: media that are made once per machine. */
export const leaveOutSince = (cpuMs: number): void => void (leftOutMs += readOwnCpuMs() - cpuMs);

export const getLeftOutMs = (): number => leftOutMs;
