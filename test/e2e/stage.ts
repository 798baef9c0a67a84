import { expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { openBrowser, type Photo, photo, type Visitor, visit } from './browser.ts';
import { listFaults } from './faults.ts';
import { addPhotos, type Api, createApi, logIn, PHONE } from './people.ts';
import { type RunningServer, signUp, startServer } from './server.ts';

// The environment of a page test: its own server and browser, and signed-in accounts.

export const TIMEOUT_MS = 600_000;

export type EmptyStage = {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly database: Database;
  close(): Promise<void>;
};

export type Stage = EmptyStage & {
  readonly account: Awaited<ReturnType<typeof signUp>>;
  readonly api: Api;
  /** Uploads photos and waits until each has a thumbnail. Returns their ids. */
  add(photos: readonly (Photo | Promise<Photo>)[]): Promise<string[]>;
};

/** Starts a server without accounts. */
export async function openEmptyStage(...flags: string[]): Promise<EmptyStage> {
  const [server, browser] = await Promise.all([startServer(...flags), openBrowser()]);
  const database = openDatabase(server.databaseUrl, { max: 2 });
  return {
    server,
    browser,
    database,
    async close() {
      await browser.close();
      await database.close();
      await server.stop();
    },
  };
}

export async function openStage(...flags: string[]): Promise<Stage> {
  const stage = await openEmptyStage(...flags);
  const { url } = stage.server;
  const account = await signUp(url);
  return {
    ...stage,
    account,
    api: createApi(url, account.apiKey),
    add: async (photos) => addPhotos(url, account.apiKey, await Promise.all(photos)),
  };
}

/** 1.jpg of 1 May 2024, 2.jpg of the next day, and so on. */
export const daysOfMay = (count: number): Promise<Photo>[] =>
  Array.from({ length: count }, (_, at) => photo(`${at + 1}.jpg`, `2024:05:0${at + 1} 12:00:00`));

type Options = Parameters<typeof visit>[2];

/** A browser window in which somebody logs in on the page at this path. */
export async function enter(
  stage: Stage,
  { as = stage.account, at = '/', ...options }: Options & { as?: Login; at?: string } = {},
): Promise<Visitor> {
  const visitor = await visit(stage.browser, stage.server.url, options);
  await visitor.page.goto(at);
  await logIn(visitor.page, as.email, as.password);
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
