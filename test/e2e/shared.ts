import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { type RunningServer, signUp, startServer } from './server.ts';

// One browser and one server of each worker that runs tests: starting them for each file is what takes long. They end
// with the worker. Nothing of a file is left in them but rows of its own accounts.

let browser: Promise<Browser> | undefined;
let server: Promise<SharedServer> | undefined;

export type SharedServer = RunningServer & {
  /** API key of its first administrator, who owns nothing. */
  readonly adminKey: string;
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
  return { ...started, adminKey: apiKey };
}
