import { getCpuMsWithEnded } from '../bench/processes.ts';

let leftOutMs = 0;

/** Returns the processor time of this process and of its children that have ended, in ms. */
export const readOwnCpuMs = (): number => getCpuMsWithEnded(process.pid);

/** Keeps the processor time since then from counting for any file: media that are made once per machine. */
export const leaveOutSince = (cpuMs: number): void => void (leftOutMs += readOwnCpuMs() - cpuMs);

export const getLeftOutMs = (): number => leftOutMs;
