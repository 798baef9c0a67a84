import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { goToAdmin } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The statistics of all accounts of a server and the forecast of its disk, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openOwnStage();
  await stage.add(daysOfMay(2));
  await stage.api('POST', '/admin/users', {
    name: 'Bob',
    email: 'bob@example.com',
    password: 'long enough',
    quotaSizeInBytes: 2e9,
  });
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const getRow = (name: string, on = page) => on.getByRole('row', { name: new RegExp(`^${name} `) });

const { step } = journey('an administrator sees how the library grows', TIMEOUT_MS);

step('each account is told with its photos, videos, bytes and quota', async () => {
  await goToAdmin(page, 'Statistics');
  await page.getByRole('heading', { name: 'Statistics', level: 1 }).waitFor();
  await getRow('Admin').waitFor();
  const readRow = (name: string) => getRow(name).getByRole('cell').allInnerTexts();
  await eventually(async () => (await readRow('Admin')).slice(0, 2)).toEqual(['2', '0']);
  await eventually(() => readRow('Bob')).toEqual(['0', '0', '0 B of 2.0 GB']);
  await getRow('Bob').getByRole('progressbar', { name: 'Quota of Bob' }).waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a young library is not forecast', async () => {
  await page.getByText('The library is less than four weeks old').waitFor();
  await eventually(() => page.getByText('a month').count()).toBe(0);
});

step('an older one is, with its growth by month', async () => {
  const { sql } = stage.database;
  const isRecorded = async () => (await sql`select 1 from library_size`).length > 0;
  // Later it would replace the size of today.
  await until('the job has recorded a size', isRecorded);
  await sql`
    insert into library_size (day, bytes)
    select current_date - n, (200 - n) * 1000000000::bigint from generate_series(0, 199) n
    on conflict (day) do update set bytes = excluded.bytes`;
  await page.reload();
  await page
    .getByText(/The library grows by 30\.0 GB a month\. At this rate .* full in \w+/)
    .waitFor();
  const months = page.getByRole('list', { name: 'Growth by month' }).getByRole('listitem');
  await eventually(() => months.count()).toBe(12);
  await eventually(() => months.nth(10).textContent()).toMatch(/^\w+ \d{4}: (?:28|29|30|31)\.0 GB/);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a phone shows the same', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto('/admin/statistics');
  await getRow('Bob', phone.page).waitFor();
  await leavePhone(phone);
  expect(visitor.problems).toEqual([]);
});
