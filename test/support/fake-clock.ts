import { jest } from 'bun:test';

/** Microtasks that a chain of promises may take. */
const TURNS = 50;

/** Timers and clocks that go on only when the test says so. Call `end` when it is over. */
export function startFakeClock() {
  jest.useFakeTimers();
  return {
    /** Goes on by so many ms in steps, with what is done by promises between them. */
    async advance(ms: number, stepMs = 10): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        jest.advanceTimersByTime(Math.min(stepMs, ms - passed));
        for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
      }
    },
    end: () => void jest.useRealTimers(),
  };
}
