import { requireValue } from '../../src/core/required.ts';

type Options = { readonly ifAvailable?: boolean; readonly signal?: AbortSignal };
type Held = { readonly name: string };
type Work = (lock: Held | null) => unknown;

/** Web Locks of one process, exclusive ones only. */
export class MemoryLocks {
  readonly #held = new Map<string, Promise<unknown>>();

  /** Holds a lock until the returned function is called. */
  hold(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.request(name, {}, () => promise);
    return resolve;
  }

  request(name: string, work: Work): Promise<unknown>;
  request(name: string, options: Options, work: Work): Promise<unknown>;
  request(name: string, options: Options | Work, work?: Work): Promise<unknown> {
    if (typeof options === 'function') return this.#request(name, {}, options);
    return this.#request(name, options, requireValue(work, 'work under the lock'));
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  async #request(name: string, { ifAvailable, signal }: Options, work: Work): Promise<unknown> {
    if (ifAvailable && this.#held.has(name)) return work(null);
    while (this.#held.has(name)) await this.#wait(name, signal);
    const run = Promise.resolve(work({ name }));
    this.#held.set(
      name,
      run.catch(() => undefined),
    );
    try {
      return await run;
    } finally {
      this.#held.delete(name);
    }
  }

  #wait(name: string, signal: AbortSignal | undefined): Promise<unknown> {
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
    return Promise.race([this.#held.get(name), aborted]);
  }
}
