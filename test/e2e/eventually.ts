import { expect, type Matchers } from 'bun:test';
import { PATIENCE_MS } from './server.ts';

type Polled = {
  readonly [Name in Exclude<keyof Matchers, 'not'>]: Matchers[Name] extends (
    ...args: infer Args
  ) => void
    ? (...args: Args) => Promise<void>
    : never;
};

/**
 * Expects something of what `read` resolves with, now or soon: it is read again until it matches. Throws
 * the last failure. For all that a page shows once the server has answered.
 */
export const eventually = (read: () => unknown): Polled & { readonly not: Polled } =>
  new Proxy({} as Polled & { not: Polled }, {
    get: (_, name: keyof Polled | 'not') =>
      name === 'not'
        ? poll(async () => expect(await read()).not)
        : poll(async () => expect(await read()))[name],
  });

type Match = (...args: unknown[]) => unknown;

const poll = (getMatchers: () => Promise<Matchers>): Polled =>
  new Proxy({} as Polled, {
    get:
      (_, name: keyof Polled) =>
      async (...args: unknown[]) => {
        const end = Date.now() + PATIENCE_MS;
        for (;;) {
          try {
            const matchers = (await getMatchers()) as unknown as Record<keyof Polled, Match>;
            return matchers[name](...args);
          } catch (error) {
            if (Date.now() > end) throw error;
            await Bun.sleep(50);
          }
        }
      },
  });
