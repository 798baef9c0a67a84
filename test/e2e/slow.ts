import type { BrowserContext, Page } from 'playwright-core';

// Finds tests of the page that pass on a quick machine only: with these settings its requests, answers and
// live events wait for a random time, its files come late and its scripts run slowly.
//   SAFELIGHT_TEST_SLOW_API=700   longest delay of a request, and again of its answer, in ms
//   SAFELIGHT_TEST_SLOW_CPU=4     how many times slower the page computes
//   SAFELIGHT_TEST_SLOW_SEED=2    other delays; default 1
// The test of uploads limits the network itself, which works with SAFELIGHT_TEST_SLOW_CPU only.

const maxMs = Number(process.env['SAFELIGHT_TEST_SLOW_API'] ?? 0);
const cpu = Number(process.env['SAFELIGHT_TEST_SLOW_CPU'] ?? 1);
const seed = Number(process.env['SAFELIGHT_TEST_SLOW_SEED'] ?? 1);

/** Slows the pages of this context down, if the environment asks for it. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (maxMs > 0) await context.addInitScript(delayAnswers, { maxMs, seed });
  context.on('page', (page) => void throttle(page));
}

async function throttle(page: Page): Promise<void> {
  if (maxMs === 0 && cpu === 1) return;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  if (maxMs === 0) return;
  const noLimit = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', { ...noLimit, latency: maxMs / 5 });
}

/** Runs in the page, before its own scripts. */
function delayAnswers({ maxMs, seed }: { maxMs: number; seed: number }): void {
  const counts = new Map<string, number>();
  /** The same for the nth use of a name, in whatever order the names come. */
  const delay = (name: string) => {
    const count = (counts.get(name) ?? seed * 1000) + 1;
    counts.set(name, count);
    let hash = count;
    for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x5bd1e995);
    hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2d);
    return new Promise<void>((resolve) => setTimeout(resolve, ((hash >>> 0) / 2 ** 32) * maxMs));
  };

  const send = window.fetch;
  const sendSlowly = async (input: URL | RequestInfo, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input);
    await delay(`request ${url}`);
    const response = await send(input, init);
    await delay(`answer ${url}`);
    init?.signal?.throwIfAborted();
    return response;
  };
  window.fetch = Object.assign(sendSlowly, send);

  const onMessage = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage')!;
  Object.defineProperty(WebSocket.prototype, 'onmessage', {
    set(this: WebSocket, listener: (message: MessageEvent) => void) {
      let last = Promise.resolve();
      const listen = (message: MessageEvent) => {
        if (this.readyState === WebSocket.OPEN) listener(message);
      };
      const listenLate = (message: MessageEvent) =>
        void (last = last.then(() => delay('live event')).then(() => listen(message)));
      onMessage.set!.call(this, listenLate);
    },
  });
}
