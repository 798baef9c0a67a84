import { expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { createApi } from './people.ts';
import { type RunningServer, signUp, startServer } from './server.ts';

// One browser and one server of each worker that runs tests: starting them for each file is what takes long. They end
// with the worker. Nothing of a file is left in them but rows of its own accounts.

let browser: Promise<Browser> | undefined;
let server: Promise<SharedServer> | undefined;

export type SharedServer = RunningServer & {
  /** API key of its first administrator, who owns nothing. */
  readonly adminKey: string;
  /** Fails if a test changed what the tests after it would meet: a setting, or a queue that is paused. */
  expectUnchanged(): Promise<void>;
};

/** Returns the browser of this worker, another one if it has crashed. */
export async function getSharedBrowser(): Promise<Browser> {
  if (!(await browser)?.isConnected()) browser = openBrowser();
  return browser!;
}

/** Returns the server of this worker, another one if it has ended. */
export async function getSharedServer(): Promise<SharedServer> {
  const running = await server;
  if (running?.process.exitCode !== null) server = startShared();
  return server!;
}

async function startShared(): Promise<SharedServer> {
  const started = await startServer();
  const { apiKey } = await signUp(started.url);
  const api = createApi(started.url, apiKey);
  const read = async () => {
    const queues = await api<{ name: string; isPaused: boolean }[]>('GET', '/queues');
    const paused = queues.filter(({ isPaused }) => isPaused).map(({ name }) => name);
    return { paused, config: await api('GET', '/system-config') };
  };
  const before = await read();
  return {
    ...started,
    adminKey: apiKey,
    expectUnchanged: async () => expect(await read()).toEqual(before),
  };
}
