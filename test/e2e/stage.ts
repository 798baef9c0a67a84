import { expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { type Photo, photo, type Visitor, visit } from './browser.ts';
import { listFaults } from './faults.ts';
import { addPhotos, type Api, createApi, createFreshApi, PHONE } from './people.ts';
import { type Account, addAccount, type RunningServer, signUp, startServer } from './server.ts';
import { getSharedBrowser, getSharedServer } from './shared.ts';

// The environment of a page test: a server, a browser, and an account that is an administrator.

export const TIMEOUT_MS = 600_000;

export type EmptyStage = {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly database: Database;
  /** Closes the windows, and the server if it is the stage's own. */
  close(): Promise<void>;
};

export type Stage = EmptyStage & {
  readonly account: Account;
  readonly api: Api;
  /** The same after a login, for settings and rights. */
  readonly freshApi: Api;
  /** Uploads photos and waits until each has a thumbnail. Returns their ids. */
  add(photos: readonly (Photo | Promise<Photo>)[]): Promise<string[]>;
};

/**
 * Opens the stage of a new account on the server of this worker, beside the accounts of other tests. A test that changes
 * what all accounts see, or counts what all have, opens a stage of its own.
 */
export async function openStage(): Promise<Stage> {
  const [server, browser] = await Promise.all([getSharedServer(), getSharedBrowser()]);
  const account = await addAccount(server.url, server.adminKey);
  const stage = openOn(server, browser);
  const close = async () => {
    await stage.close();
    await server.expectUnchanged();
  };
  return withAccount({ ...stage, close }, account);
}

/** Starts a server with these settings; its first account is the stage's. */
export async function openOwnStage(...flags: string[]): Promise<Stage> {
  const stage = await openEmptyStage(...flags);
  return withAccount(stage, await signUp(stage.server.url));
}

/** Starts a server without accounts. */
export async function openEmptyStage(...flags: string[]): Promise<EmptyStage> {
  const [server, browser] = await Promise.all([startServer(...flags), getSharedBrowser()]);
  const stage = openOn(server, browser);
  const close = async () => {
    await stage.close();
    await server.stop();
  };
  return { ...stage, close };
}

function openOn(server: RunningServer, browser: Browser): EmptyStage {
  const database = openDatabase(server.databaseUrl, { max: 2 });
  const close = async () => {
    // Only one file at a time runs in a worker.
    await Promise.all(browser.contexts().map((context) => context.close()));
    await database.close();
  };
  return { server, browser, database, close };
}

/** Adds an account to a stage that has its own server: the stage as that account sees it. */
export async function addStageAccount(stage: Stage): Promise<Stage> {
  return withAccount(stage, await addAccount(stage.server.url, stage.account.apiKey));
}

function withAccount(stage: EmptyStage, account: Account): Stage {
  const { url } = stage.server;
  return {
    ...stage,
    account,
    api: createApi(url, account.apiKey),
    freshApi: createFreshApi(url, account),
    add: async (photos) => addPhotos(url, account.apiKey, await Promise.all(photos)),
  };
}

/** 1.jpg of 1 May 2024, 2.jpg of the next day, and so on. */
export const daysOfMay = (count: number): Promise<Photo>[] =>
  Array.from({ length: count }, (_, at) => photo(`${at + 1}.jpg`, `2024:05:0${at + 1} 12:00:00`));

type Options = Parameters<typeof visit>[2];

/** Opens a window of somebody who is logged in, at this path. */
export async function enter(
  stage: Stage,
  { as = stage.account, at = '/', ...options }: Options & { as?: Login; at?: string } = {},
): Promise<Visitor> {
  const visitor = await visit(stage.browser, stage.server.url, options);
  const { email, password } = as;
  // Its answer sets the cookies of the window. `page-first-user.test.ts` types them.
  const response = await visitor.context.request.post('/api/auth/login', {
    data: { email, password },
  });
  if (!response.ok()) throw new Error(`login: ${response.status()} ${await response.text()}`);
  await visitor.page.goto(at);
  return visitor;
}

type Login = { email: string; password: string };

/** Opens another window with the session of the same person. */
export async function enterAgain(
  stage: EmptyStage,
  from: Visitor,
  options: Options,
): Promise<Visitor> {
  const { cookies } = await from.context.storageState();
  const visitor = await visit(stage.browser, stage.server.url, options);
  await visitor.context.addCookies(cookies);
  return visitor;
}

export const onPhone = (stage: EmptyStage, from: Visitor) => enterAgain(stage, from, PHONE);

/** Closes the phone; fails if its page has faults or reported errors. */
export async function leavePhone({ page, problems, context }: Visitor): Promise<void> {
  expect(await listFaults(page)).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
}
