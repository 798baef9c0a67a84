import { describe, test } from 'bun:test';
import { type Requirement, skipWithout } from './requirements.ts';

export type Journey = {
  /** Adds a step to the chapter: it goes on where the one above it ended. `limitMs` is its own time limit. */
  readonly step: (name: string, run: () => unknown, limitMs?: number) => void;
  /**
   * Defines a test of the steps that `define` adds; hooks in `define` are of this chapter alone. Chapters run in any
   * order, each from what `beforeEach` has made. It is skipped where the machine lacks one of `needs`.
   */
  readonly chapter: (name: string, define: () => void, ...needs: readonly Requirement[]) => void;
};

/** Steps have limits of their own; this one is for the runner. */
const TEST_LIMIT_MS = 60 * 60_000;

type Step = { readonly name: string; readonly run: () => unknown; readonly limitMs: number };

/**
 * Defines tests of named steps that run in the order in which they are written, whatever the order of the tests. The
 * first step that fails ends its chapter, and its error has its name. Steps outside of chapters are one of the journey's name.
 */
export function journey(name: string, stepLimitMs: number): Journey {
  let steps: Step[] | undefined;
  return {
    step: (title, run, limitMs = stepLimitMs) => {
      if (!steps) {
        steps = [];
        test(name, runSteps(steps), TEST_LIMIT_MS);
      }
      steps.push({ name: title, run, limitMs });
    },
    chapter: (title, define, ...needs) =>
      describe(name, () => {
        const outer = steps;
        const own: Step[] = [];
        steps = own;
        define();
        steps = outer;
        if (own.length === 0) throw new Error(`The chapter "${title}" has no steps.`);
        skipWithout(...needs).test(title, runSteps(own), TEST_LIMIT_MS);
      }),
  };
}

const runSteps = (steps: readonly Step[]) => async () => {
  for (const { name, run, limitMs } of steps) {
    try {
      await withLimit(run, limitMs);
    } catch (error) {
      if (error instanceof Error) error.message = `In the step "${name}": ${error.message}`;
      throw error;
    }
  }
};

async function withLimit(run: () => unknown, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${limitMs} ms`)), limitMs);
  try {
    await Promise.race([run(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
