import { inspect } from 'node:util';
import { listUsers } from '../areas/admin-users/store.ts';
import { IMMICH_VERSION_TEXT } from '../core/immich-version.ts';
import { toUserAdmin } from '../areas/users/index.ts';
import { hashSecret, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../access/secrets.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { newSecret } from '../core/hash.ts';
import type { Command } from '../core/settings.ts';
import type { Db } from '../db/client.ts';
import type { UserRow } from '../db/tables/identity.ts';
import { replacePassword } from './accounts.store.ts';
import { changeRights, countAdministrators, findAdministrator } from './administrators.store.ts';
import { type CommandSpec, print } from './command.ts';
import { command as config } from './config.ts';
import { withDatabase } from './database.ts';
import { endMaintenance, findCurrentState, startMaintenance } from './maintenance-mode.ts';
import { createPrompt, type Prompt } from './prompt.ts';
import { checkSchema } from './schema-check.ts';

// The commands of immich-admin under their names, with its questions and its texts: scripts and habits go on.

export const command: CommandSpec = {
  usage: '<command> [email]',
  help: `list-users                prints the accounts, also deleted ones that can be restored
reset-admin-password      sets a new password for the administrator, by default the first
grant-admin               lets an account administrate the server
revoke-admin              takes that from it, also from the last administrator
enable-password-login     lets accounts log in with their password
disable-password-login    lets them log in by OAuth only
enable-oauth-login        lets accounts log in by OAuth
disable-oauth-login       ends that
enable-maintenance-mode   switches maintenance mode on; prints where to log in
disable-maintenance-mode  switches it off
schema-check              compares the database with the migrations of this program
change-media-location     tells why nothing has to be changed
version                   prints the version of Immich that clients are told

What is not on the command line is asked for. The server may run: it follows at once.`,
  words: 2,
  async run(call) {
    const [name = '', email] = call.words;
    const action = ACTIONS.get(name);
    if (!action) throw new UsageError(`Say what to do: ${[...ACTIONS.keys()].join(', ')}`);
    if (email !== undefined && !TAKES_EMAIL.has(name)) {
      throw new UsageError(`Unexpected argument '${email}'`);
    }
    const prompt = createPrompt();
    try {
      return await action(call, prompt);
    } finally {
      prompt.close();
    }
  },
};

type Action = (call: Command, prompt: Prompt) => Promise<number>;

const TAKES_EMAIL: ReadonlySet<string> = new Set([
  'reset-admin-password',
  'grant-admin',
  'revoke-admin',
]);

const ACTIONS = new Map<string, Action>([
  ['list-users', printUsers],
  ['reset-admin-password', resetPassword],
  ['grant-admin', grant],
  ['revoke-admin', revoke],
  ['enable-password-login', (call) => setLogin(call, 'passwordLogin', true)],
  ['disable-password-login', (call) => setLogin(call, 'passwordLogin', false)],
  ['enable-oauth-login', (call) => setLogin(call, 'oauth', true)],
  ['disable-oauth-login', (call) => setLogin(call, 'oauth', false)],
  ['enable-maintenance-mode', enableMaintenance],
  ['disable-maintenance-mode', disableMaintenance],
  ['schema-check', (call) => withDatabase(call.settings, ({ sql }, url) => checkSchema(sql, url))],
  ['change-media-location', tellLocation],
  ['version', printVersion],
]);

function printUsers({ settings }: Command): Promise<number> {
  return withDatabase(settings, async ({ db }) => {
    const users = await listUsers(db, { withDeleted: true });
    print(inspect(users.map(({ user, usageBytes }) => toUserAdmin(user, usageBytes))));
    return 0;
  });
}

/** Runs the work on the e-mail address of the command line, or the one that is asked for. */
async function withAccount(
  { settings, words }: Command,
  prompt: Prompt,
  work: (db: Db, email: string) => Promise<void>,
): Promise<number> {
  const email = (words[1] ?? (await prompt.ask('Please enter the user email: '))).trim();
  if (email === '') throw new UsageError(`'${words[0]}' needs the e-mail address of the account`);
  return withDatabase(settings, async ({ db }) => {
    await work(db, email.toLowerCase());
    return 0;
  });
}

function grant(call: Command, prompt: Prompt): Promise<number> {
  return withAccount(call, prompt, async (db, email) => {
    const change = await changeRights(db, { email, isAdmin: true });
    if (change === 'unknown') throw new Failure(`There is no account for ${email}`);
    print(`Admin access has been granted to ${email}`);
  });
}

function revoke(call: Command, prompt: Prompt): Promise<number> {
  return withAccount(call, prompt, async (db, email) => {
    const change = await changeRights(db, { email, isAdmin: false, mayBeLast: true });
    if (change === 'unknown') throw new Failure(`There is no account for ${email}`);
    print(`Admin access has been revoked from ${email}`);
    if ((await countAdministrators(db)) > 0) return;
    print("No administrator is left: 'safelight immich-admin grant-admin' makes one.");
  });
}

function resetPassword({ settings, words }: Command, prompt: Prompt): Promise<number> {
  return withDatabase(settings, async ({ db }) => {
    const admin = await findAdministrator(db, words[1]?.trim().toLowerCase());
    if (!admin) {
      throw new Failure(
        words[1] === undefined
          ? "There is no administrator: 'safelight immich-admin grant-admin' makes one"
          : `There is no administrator ${words[1]}`,
      );
    }
    print(describeAdministrator(admin));
    const given = await prompt.ask('Please choose a new password (optional) ');
    requireLength(given);
    const ends = await prompt.ask('Invalidate existing sessions? (Y/n) ');
    const password = given || newSecret().slice(0, 24);
    const keepsSessions = /^n/i.test(ends.trim());
    await replacePassword(db, admin.id, await hashSecret(password), { keepsSessions });
    print(
      given
        ? 'The admin password has been updated.'
        : `The admin password has been updated to:\n${password}`,
    );
    return 0;
  });
}

const describeAdministrator = ({ id, oauthId, email, name }: UserRow): string =>
  `Found Admin:\n- ID=${id}\n- OAuth ID=${oauthId ?? ''}\n- Email=${email}\n- Name=${name}`;

function requireLength(password: string): void {
  if (password === '') return;
  if (password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_PASSWORD_LENGTH) return;
  throw new UsageError(
    `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
  );
}

/** By `config set`, with its checks: of a provider that is not set up, of what the environment locks. */
async function setLogin(
  call: Command,
  section: 'passwordLogin' | 'oauth',
  isEnabled: boolean,
): Promise<number> {
  await config.run({ ...call, words: ['set', `${section}.enabled`, String(isEnabled)] });
  const name = section === 'oauth' ? 'OAuth' : 'Password';
  print(`${name} login has been ${isEnabled ? 'enabled' : 'disabled'}.`);
  return 0;
}

async function enableMaintenance(call: Command): Promise<number> {
  const isOn = (await findCurrentState(call.settings)) !== undefined;
  const code = await startMaintenance(call);
  print(isOn ? 'Maintenance mode is already enabled.' : 'Maintenance mode has been enabled.');
  return code;
}

async function disableMaintenance(call: Command): Promise<number> {
  const isOn = (await findCurrentState(call.settings)) !== undefined;
  const code = await endMaintenance(call);
  print(isOn ? 'Maintenance mode has been disabled.' : 'Maintenance mode is already disabled.');
  return code;
}

async function tellLocation(): Promise<number> {
  print('The database holds no paths of the data folder: move it, and start with --data.');
  return 0;
}

async function printVersion(): Promise<number> {
  print(`v${IMMICH_VERSION_TEXT}`);
  return 0;
}
