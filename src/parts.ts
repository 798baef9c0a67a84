import type { Log } from './core/log.ts';

export type Add = (name: string, stop: () => Promise<unknown>) => void;

/** Starts parts one after the other; `stop` takes them apart in reverse. */
export async function startParts<T extends object>(
  log: Log,
  build: (add: Add) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const { add, stop } = createParts(log);
  try {
    const made = await build(add);
    return { ...made, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Parts that are started later, and stopped in reverse. */
export function createParts(log: Log): { readonly add: Add; readonly stop: () => Promise<void> } {
  const parts: Part[] = [];
  return {
    add: (name, stop) => void parts.push({ name, stop }),
    stop: () => stopParts(parts, log),
  };
}

type Part = { readonly name: string; readonly stop: () => Promise<unknown> };

/** Last started, first stopped; one that fails does not keep the others running. */
async function stopParts(parts: Part[], log: Log): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      await part.stop();
    } catch (error) {
      log.error('part did not stop cleanly', { part: part.name, error });
    }
  }
}
