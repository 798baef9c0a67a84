import { PERMISSIONS } from '../access/permissions.ts';
import { hashSecret, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../access/secrets.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { newSecret, sha256 } from '../core/hash.ts';
import type { Command } from '../core/settings.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';
import {
  findAccount,
  insertAdmin,
  insertKey,
  listAccounts,
  replacePassword,
} from './accounts.store.ts';
import { changeRights } from './administrators.store.ts';
import { type CommandSpec, print } from './command.ts';
import { withDatabase } from './database.ts';

export const command: CommandSpec = {
  usage:
    '(create <email> | grant <email> | revoke <email> | reset-password <email> | list | ' +
    'api-key <email>)',
  help: `create          makes an account that may administrate the server
grant           lets an account that exists administrate the server, at once
revoke          takes that from it, at once; from the last administrator with --last only
reset-password  sets a new password and logs the account out everywhere
list            prints the accounts
api-key         makes a key for programs and prints it once

Without --password-file a password is made up and printed. Other users of the machine can read the
command line, so no password is taken from there.`,
  flags: [
    {
      flag: '--password-file',
      placeholder: 'FILE',
      doc: `Its first line is the password, at least ${MIN_PASSWORD_LENGTH} characters; - reads standard input`,
    },
    { flag: '--name', placeholder: 'TEXT', doc: 'Name of the account or the key' },
    { flag: '--permissions', placeholder: 'LIST', doc: 'What the key may do; all without it' },
    { flag: '--json', doc: 'list: print JSON' },
    { flag: '--last', doc: 'revoke: also from the last administrator' },
  ],
  words: 2,
  async run(call) {
    const action = ACTIONS.get(call.words[0] ?? '');
    if (!action) throw new UsageError(`Say what to do: ${[...ACTIONS.keys()].join(', ')}`);
    const prepared = await action(call);
    return withDatabase(call.settings, async ({ db }) => {
      print(await prepared(db));
      return 0;
    });
  },
};

/** Checks the command line first, so that nothing is started for a wrong one. */
type Action = (call: Command) => Promise<(db: Db) => Promise<string>>;

const ACTIONS = new Map<string, Action>([
  ['create', create],
  ['grant', (call) => setRights(call, true)],
  ['revoke', (call) => setRights(call, false)],
  ['reset-password', resetPassword],
  ['list', async (call) => (db) => list(db, call.flags.has('--json'))],
  ['api-key', createKey],
]);

async function create(call: Command) {
  const email = parseEmail(call);
  const name = call.flags.get('--name') ?? email.replace(/@.*/, '');
  const { passwordHash, told } = await readOrCreatePassword(call);
  return async (db: Db) => {
    try {
      await insertAdmin(db, { email, name, passwordHash });
    } catch (error) {
      if (isDatabaseError(error, 'uniqueViolation'))
        throw new Failure(`There is an account for ${email} already`);
      throw error;
    }
    return `made the administrator ${email}${told}`;
  };
}

async function setRights(call: Command, isAdmin: boolean) {
  const email = parseEmail(call);
  const mayBeLast = call.flags.has('--last');
  return async (db: Db) => {
    switch (await changeRights(db, { email, isAdmin, mayBeLast })) {
      case 'unknown':
        throw new Failure(`There is no account for ${email}`);
      case 'unchanged':
        return `${email} is ${isAdmin ? 'an administrator already' : 'no administrator'}`;
      case 'last':
        throw new Failure(
          `${email} is the last administrator: grant another account the rights first, or add --last`,
        );
      case 'changed':
        return `${email} is ${isAdmin ? 'an administrator now' : 'no administrator any more'}`;
    }
  };
}

async function resetPassword(call: Command) {
  const email = parseEmail(call);
  const { passwordHash, told } = await readOrCreatePassword(call);
  return async (db: Db) => {
    await replacePassword(db, await getAccountId(db, email), passwordHash);
    return `the password of ${email} is new, and all its devices are logged out${told}`;
  };
}

async function createKey(call: Command) {
  const email = parseEmail(call);
  const permissions = (call.flags.get('--permissions') ?? 'all').split(',').map((p) => p.trim());
  const unknown = permissions.find((name) => !(PERMISSIONS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`Unknown permission '${unknown}'`);
  const name = call.flags.get('--name') ?? 'Command line';
  return async (db: Db) => {
    const key = newSecret();
    const userId = await getAccountId(db, email);
    await insertKey(db, { userId, name, keyHash: sha256(key), permissions });
    return key;
  };
}

async function list(db: Db, asJson: boolean): Promise<string> {
  const accounts = await listAccounts(db);
  if (asJson) return JSON.stringify(accounts, null, 2);
  if (accounts.length === 0) return 'There is no account yet.';
  const width = Math.max(...accounts.map(({ email }) => email.length));
  return accounts
    .map(({ email, name, isAdmin }) =>
      `${email.padEnd(width)}  ${isAdmin ? 'admin' : 'user '}  ${name}`.trimEnd(),
    )
    .join('\n');
}

function parseEmail({ words }: Command): string {
  const email = words[1]?.trim().toLowerCase();
  if (email && /^[^\s@]+@[^\s@]+$/.test(email)) return email;
  throw new UsageError(`'${words[0]}' needs the e-mail address of the account`);
}

async function readOrCreatePassword({ flags }: Command) {
  const file = flags.get('--password-file');
  const given = file === undefined ? undefined : await readPassword(file);
  const password = given ?? newSecret().slice(0, 20);
  return {
    passwordHash: await hashSecret(password),
    told: given === undefined ? `\npassword: ${password}` : '',
  };
}

async function readPassword(file: string): Promise<string> {
  const source = file === '-' ? Bun.stdin : Bun.file(file);
  const text = await source.text().catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}`);
  });
  const [password = ''] = text.split(/\r?\n/, 1);
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw new UsageError(`The password must have at least ${MIN_PASSWORD_LENGTH} characters`);
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw new UsageError(`The password must have at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  return password;
}

async function getAccountId(db: Db, email: string): Promise<string> {
  const account = await findAccount(db, email);
  if (!account) throw new Failure(`There is no account for ${email}`);
  return account.id;
}
