import { checkConnection } from '../../src/web/base/connection.ts';

/**
 * The page believes that the server is there again. Otherwise it would ask every few seconds, also in the tests of other
 * files of this process.
 */
export async function restoreConnection(): Promise<void> {
  const { fetch } = globalThis;
  globalThis.fetch = (() => Promise.resolve(new Response())) as unknown as typeof fetch;
  // The first check may have begun before.
  await checkConnection();
  await checkConnection();
  globalThis.fetch = fetch;
}
