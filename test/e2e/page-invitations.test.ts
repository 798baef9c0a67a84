import { afterEach, beforeEach, expect } from 'bun:test';
import { journey } from '../support/journey.ts';
import { type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { getDialog, getPageWidth, goToAdmin, logIn, PHONE, press, toast } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Invitations of accounts, in a real browser.

let stage: Stage;
let ada: Visitor;
const id = crypto.randomUUID();
const EMAIL = `${id}@example.com`;
let link: string;

beforeEach(async () => {
  stage = await openStage();
  ada = await enter(stage);
  await goToAdmin(ada.page, 'Accounts');
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

/** A browser writes every refusal into its console. */
const isRefusal = (text: string) => /status of 404 .*\/api\/invitations\/open/.test(text);

const invite = async (email: string) => {
  await press(ada.page, 'Invite');
  const form = getDialog(ada.page);
  await form.getByLabel('Name').fill(`Jane ${id}`);
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Quota in GB').fill('3');
  await form.getByLabel('Expires').selectOption('In a month');
  expect(await listFaults(ada.page)).toEqual([]);
  await press(ada.page, 'Create invitation');
  const field = getDialog(ada.page).getByLabel('Link', { exact: true });
  await eventually(() => field.inputValue()).toMatch(/\/invitation#.{43}$/);
  return field.inputValue();
};

const { step } = journey('an administrator invites a person', TIMEOUT_MS);

step('with a link that is shown once, also as a QR code', async () => {
  link = await invite(EMAIL);
  await getDialog(ada.page).getByRole('img', { name: 'QR code of the link' }).waitFor();
  expect(await listFaults(ada.page)).toEqual([]);
  await press(ada.page, 'Done');
  const row = ada.page.getByRole('listitem').filter({ hasText: EMAIL });
  await row.waitFor();
  expect(await ada.page.content()).not.toContain(new URL(link).hash.slice(1));
});

step('who chooses a password on a phone and is signed in', async () => {
  const jane = await visit(stage.browser, stage.server.url, PHONE);
  const asked: string[] = [];
  jane.page.on('request', (request) => asked.push(request.url()));
  await jane.page.goto(link);
  await jane.page.getByRole('heading', { name: 'You are invited' }).waitFor();
  expect(await jane.page.getByLabel('Email').inputValue()).toBe(EMAIL);
  expect(await listFaults(jane.page)).toEqual([]);
  expect(await getPageWidth(jane.page)).toBe(PHONE.viewport.width);
  await jane.page.getByLabel('Password', { exact: true }).fill('long enough');
  await jane.page.getByLabel('Password again').fill('something else');
  await press(jane.page, 'Create account');
  await jane.page.getByText('The two passwords are not the same.').waitFor();
  await jane.page.getByLabel('Password again').fill('long enough');
  await press(jane.page, 'Create account');
  await jane.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
  expect(new URL(jane.page.url()).pathname + new URL(jane.page.url()).hash).toBe('/photos');
  // The first login leads to the app for the phone, once.
  const guide = jane.page.getByRole('dialog', { name: 'Back up your phone' });
  // A phone cannot scan itself.
  await guide.getByRole('button', { name: 'Copy address' }).waitFor();
  await guide.getByRole('link', { name: 'Open the app' }).waitFor();
  expect(await guide.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
  expect(await listFaults(jane.page)).toEqual([]);
  await guide.getByRole('button', { name: 'Close' }).click();
  await eventually(async () => {
    const response = await jane.page.request.get('/api/users/me/onboarding');
    return (await response.json()).isOnboarded;
  }).toBe(true);
  await jane.context.clearCookies();
  await jane.page.reload();
  await logIn(jane.page, EMAIL, 'long enough');
  await jane.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
  expect(await guide.count()).toBe(0);
  // Addresses are written to logs: the token is in none.
  const token = new URL(link).hash.slice(1);
  expect(asked.filter((url) => url.split('#')[0]!.includes(token))).toEqual([]);
  expect(jane.problems).toEqual([]);
  await jane.context.close();
  await ada.page.reload();
  const row = ada.page.getByRole('listitem').filter({ hasText: EMAIL });
  await row.getByText('0 B of 3.0 GB').waitFor();
  expect(await ada.page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
});

step('whose used link leads to the login', async () => {
  const late = await visit(stage.browser, stage.server.url);
  await late.page.goto(link);
  await late.page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  expect(await listFaults(late.page)).toEqual([]);
  await press(late.page, 'Log in');
  await late.page.getByLabel('Email').waitFor();
  expect(late.problems.filter((text) => !isRefusal(text))).toEqual([]);
  await late.context.close();
});

step('and revokes the invitation of another', async () => {
  const other = `other-${EMAIL}`;
  const revoked = await invite(other);
  await press(ada.page, 'Done');
  const row = ada.page.getByRole('listitem').filter({ hasText: other });
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await getDialog(ada.page).getByRole('button', { name: 'Revoke', exact: true }).click();
  await toast(ada.page, 'Invitation revoked');
  await eventually(() => row.count()).toBe(0);
  const late = await visit(stage.browser, stage.server.url);
  await late.page.goto(revoked);
  await late.page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  await late.context.close();
});
