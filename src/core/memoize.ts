/** Returns a function that runs `work` once. After a failure the next call runs it again. */
export function memoizeSuccess<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
}
