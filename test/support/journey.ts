import { test } from 'bun:test';

export type Journey = {
  /** Adds a step: it goes on where the one above it ended. `limitMs` is its own time limit. */
  readonly step: (name: string, run: () => unknown, limitMs?: number) => void;
  /** Puts its name before those of the steps that `define` adds. */
  readonly chapter: (name: string, define: () => void) => void;
};

/** Steps have limits of their own; this one is for the runner. */
const TEST_LIMIT_MS = 60 * 60_000;

/**
 * Defines one test whose named steps run in the order in which they are written, whatever the order of
 * the tests. The first step that fails ends it, and its name is printed.
 */
export function journey(name: string, stepLimitMs: number): Journey {
  const steps: { name: string; run: () => unknown; limitMs: number }[] = [];
  let prefix = '';
  test(
    name,
    async () => {
      for (const step of steps) {
        try {
          await withLimit(step.run, step.limitMs);
        } catch (error) {
          console.error(`Step failed: ${step.name}`);
          throw error;
        }
      }
    },
    TEST_LIMIT_MS,
  );
  return {
    step: (title, run, limitMs = stepLimitMs) => {
      steps.push({ name: `${prefix}${title}`, run, limitMs });
    },
    chapter: (title, define) => {
      prefix = `${title} > `;
      define();
      prefix = '';
    },
  };
}

async function withLimit(run: () => unknown, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${limitMs} ms`)), limitMs);
  try {
    await Promise.race([run(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
