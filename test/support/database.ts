import { afterAll } from 'bun:test';
import type { App } from '../../src/app.ts';
import type { Deps } from '../../src/core/context.ts';
import {
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestDatabaseOptions,
  type TestUser,
} from './harness.ts';
import { type Household, seedHousehold } from './household.ts';

// For the top level of a file of tests: `const { database, app } = await useApp();`.

/** Opens a database for the tests of this file; it is dropped after them. */
export async function useDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const database = await testDatabase(options);
  afterAll(() => database.close());
  return database;
}

/** Opens a database and the API on it. */
export async function useApp(
  over: Partial<Deps> = {},
  options: TestDatabaseOptions = {},
): Promise<{ database: TestDatabase; app: App }> {
  const database = await useDatabase(options);
  return { database, app: testApp(database, over) };
}

/** Opens a database with a household in it, and an account beside that owns nothing. */
export async function useHousehold(): Promise<HouseholdDatabase> {
  const { database, app } = await useApp();
  const house = await seedHousehold(database);
  return { database, app, house, me: await seed(database).user() };
}

type HouseholdDatabase = {
  readonly database: TestDatabase;
  readonly app: App;
  readonly house: Household;
  readonly me: TestUser;
};
