/**
 * Returns a function that looks up one key. Keys that are requested while a load is running are loaded
 * together afterwards: under load a thousand requests need a few queries. Nothing is cached.
 */
export function createBatchedLoader<K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  type Waiting = { resolve: (value: V | undefined) => void; reject: (error: unknown) => void };
  let next = new Map<K, Waiting[]>();
  let isLoading = false;

  async function run(): Promise<void> {
    isLoading = true;
    while (next.size > 0) {
      const batch = next;
      next = new Map();
      try {
        const found = await load([...batch.keys()]);
        for (const [key, waiting] of batch)
          for (const { resolve } of waiting) resolve(found.get(key));
      } catch (error) {
        for (const waiting of batch.values()) for (const { reject } of waiting) reject(error);
      }
    }
    isLoading = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const waiting = next.get(key);
      if (waiting) waiting.push({ resolve, reject });
      else next.set(key, [{ resolve, reject }]);
      // Requests of the same turn of the event loop share the first load too.
      if (!isLoading) {
        isLoading = true;
        setImmediate(() => void run());
      }
    });
}
