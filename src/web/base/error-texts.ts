import type { ErrorCode } from '../../core/error-codes.ts';
import { formatBytes } from './format.ts';
import { t } from './i18n.ts';

// The texts of error responses that people read. The server's own messages are English and meant for programs.

const CHANGED = t('This was changed meanwhile. Reload the page and try again.');
const DAMAGED = t('The file was damaged on its way. Try again.');
const DONE = t('This can no longer be undone.');
const LOCKED = t('Enter your PIN to see locked items.');
const THERE = t('Already in your library');
const UNSUPPORTED = t('This kind of file is not supported.');
const ENDED = t('Your session has ended.');
const TROUBLE = t('The server had a problem. Try again in a moment.');
const FULL = t('The disk of this server is full.');
const INVALID = t('This is not valid.');
const REQUIRED = t('Required');

/** The text of each code. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, string>> = {
  admin_required: t('Only an administrator can do this.'),
  archive_not_zip: t('This is no ZIP file.'),
  archive_tgz: t(
    'This is a .tgz archive. Choose “.zip” as the file type when you order the export.',
  ),
  archives_incomplete: t('The files are not all there yet.'),
  archives_missing: t('The uploaded files are no longer on the server.'),
  archives_open: t('Another move has ZIP files here. Finish or cancel it first.'),
  bucket_mismatch: CHANGED,
  cannot_restore: DONE,
  concurrent_request: t('This is in progress already. Wait a moment and try again.'),
  count_mismatch: CHANGED,
  digest_mismatch: DAMAGED,
  elevation_required: LOCKED,
  evidence_changed: CHANGED,
  hidden_content_filter_active: LOCKED,
  invalid_state: t('This is not possible at the moment.'),
  inventory_changed: CHANGED,
  invitation_invalid: t('It was used, revoked or has expired. Ask for a new one.'),
  key_required: t('Enter the API key again.'),
  limit_reached: t('There are too many of them. Delete some first.'),
  live_photo_duplicate: THERE,
  live_photo_incompatible: t('These files are no live photo.'),
  maintenance_mode: t('The server is in maintenance. Try again later.'),
  missing_permission: t('You have no permission to do this.'),
  no_access: t('It is not there any more, or not shared with you.'),
  not_found: t('It is not there any more.'),
  not_undoable: DONE,
  plan_already_applied: CHANGED,
  plan_superseded: CHANGED,
  proof_required: t('Enter your password or PIN first.'),
  quota_exceeded: t('Your storage quota is used up.'),
  rate_limited: t('Too many attempts. Wait a moment and try again.'),
  review_changed: CHANGED,
  review_expired: CHANGED,
  revision_superseded: CHANGED,
  session_limit: t('Too many previews are open. Close one and try again.'),
  session_required: ENDED,
  snapshot_conflict: CHANGED,
  source_unavailable: TROUBLE,
  stale_revision: CHANGED,
  storage_full: FULL,
  superseded: t('This goes on in another window.'),
  unauthenticated: ENDED,
  unsupported_media_type: UNSUPPORTED,
  upload_length_inconsistent: DAMAGED,
  upload_offset_mismatch: DAMAGED,
  upload_published: THERE,
  validation_failed: t('Something that was entered is not valid.'),
  address_invalid: t('This is not a valid address. Example: http://nas:2283.'),
  address_refused: t('This server may not connect to that address for your account.'),
  answer_too_large: t('The other server gives an answer that is too large.'),
  certificate_invalid: t('The certificate of the other server is not valid for this address.'),
  folder_denied: t('This server may not read that folder.'),
  folder_missing: t('This folder is not there.'),
  folder_refused: t(
    'This folder could not be imported: it is not a folder, is a link, or belongs to the data of this server.',
  ),
  key_refused: t('The other server does not know this API key.'),
  not_immich: t('No Immich server answers there.'),
  other_account: t('This API key belongs to another account of that server.'),
  permission_missing: t('The API key lacks a permission.'),
  redirected: t('That address leads to another one: enter that instead.'),
  timeout: t('The other server did not answer in time.'),
  unreachable: t('The other server cannot be reached.'),
};

const WRONG_PASSWORD = t('Wrong password.');
const TIMED_OUT = t('The login took too long. Try again.');
const NO_BACKUP = t('This file is not a backup of the database.');
const KNOWN_ACCOUNT = t('An account has this email address already.');

/** Operations of Immich have no codes: what happened is known by their messages, which its clients compare, too. */
export const MESSAGE_TEXTS: Readonly<Record<string, string>> = {
  'A tag cannot be below itself': t('A tag cannot be below itself.'),
  'A tag with that name already exists': t('There is a tag of this name already.'),
  'Admin status can only be changed by another admin': t('Another administrator must do this.'),
  'An address is required to send mail': REQUIRED,
  'Birth date cannot be in the future': t('A birth date cannot be in the future.'),
  'Cannot delete your own account': t('You cannot delete your own account.'),
  'Elevated permission is required': LOCKED,
  'Error in OAuth discovery': t(
    'The login provider cannot be reached. Try again, or ask an administrator.',
  ),
  'Failed to save shared link': t('Another link has this address.'),
  'Incorrect email or password': t('Wrong email address or password.'),
  'Invalid backup name!': NO_BACKUP,
  'Invalid password': WRONG_PASSWORD,
  'Job is already running': t('This job is running already.'),
  'Must not be empty': REQUIRED,
  'Not found or no access': ERROR_TEXTS.no_access,
  'OAuth authentication failed': t(
    'The login provider knows you, but no account here is linked to you. If you have one, log in by password and link it in the settings.',
  ),
  'OAuth code verifier is missing': TIMED_OUT,
  'OAuth login failed': t('The login provider has not let you in. Try again.'),
  'OAuth profile does not have an email address': t(
    'The login provider has not provided your email address, which a new account needs.',
  ),
  'OAuth state is missing': TIMED_OUT,
  'Partner already exists': t('You share with this person already.'),
  'Password login has been disabled': t('Logging in by password is switched off.'),
  'Password required': t('A password is needed to see these photos.'),
  'Quota has been exceeded!': ERROR_TEXTS.quota_exceeded,
  'Required to send mail': REQUIRED,
  'Tag name cannot contain slash characters ("/")': t('A name cannot contain a slash.'),
  'The address of the page is not set: see the mail settings': t(
    'The address of the page is not set: see the mail settings.',
  ),
  'The expression is too large': t('Invalid expression.'),
  'The file is empty': t('The file is empty.'),
  'The file is not a backup of the database': NO_BACKUP,
  'The last admin must remain': t('One administrator must remain.'),
  'The server has no space left': FULL,
  'The server has no space left for uploads': FULL,
  'The sidecar is longer than 10 MiB': t('The sidecar file is too large.'),
  'This OAuth account has already been linked to another user.': t(
    'Another account is linked to this login already.',
  ),
  'This PIN was set without the password. Enter the password': t(
    'This PIN was set without the password. Enter the password.',
  ),
  'This address belongs to an account': KNOWN_ACCOUNT,
  'This address is invited already: revoke it first': t('This address is invited already.'),
  'User exists': KNOWN_ACCOUNT,
  'Wrong PIN code': t('Wrong PIN code.'),
  'Wrong password': WRONG_PASSWORD,
};

type Pattern = readonly [RegExp, (value: string, other: string) => string];

const atLeast = (number: string) => t('At least {number}.', { number });
const atMost = (number: string) => t('At most {number}.', { number });

/** Messages with values. */
const PATTERNS: readonly Pattern[] = [
  [
    /^The disk of this server lacks (\d+) bytes/,
    (bytes) =>
      t('The disk of this server lacks {size} for these files.', {
        size: formatBytes(Number(bytes)),
      }),
  ],
  [
    /^The storage quota lacks (\d+) bytes/,
    (bytes) =>
      t('Your storage quota lacks {size} for these files.', { size: formatBytes(Number(bytes)) }),
  ],
  [/^Not found or no /, () => ERROR_TEXTS.no_access],
  [/^Missing required permission/, () => ERROR_TEXTS.missing_permission],
  [/^Email already in use/, () => KNOWN_ACCOUNT],
  [/^Storage label already in use/, () => t('Another account has this storage label.')],
  [/^Unsupported file type/, () => UNSUPPORTED],
  [/^Too small: expected string to have >=1 /, () => REQUIRED],
  [/^Too small: expected string to have >=(\d+)/, countAtLeast],
  [/^At least (\d+) characters/, countAtLeast],
  [
    /^Too big: expected string to have <=(\d+)/,
    (count) => t('At most {count, plural, one {# character} other {# characters}}.', { count }),
  ],
  [/^Too small: expected (?:number|int) to be >=(\S+)$/, atLeast],
  [/^Too big: expected (?:number|int) to be <=(\S+)$/, atMost],
  [/^Must be a whole number of at least (\d+)$/, atLeast],
  [/^Must be at most (\d+)/, atMost],
  [
    /^Must be (?:a whole number )?from (\S+) to (\S+)$/,
    (least, most) => t('A number from {least} to {most}.', { least, most }),
  ],
  [
    /^The administrator has not listed (\S+)|^(\S+) is .*, a private address/,
    (listed, address) =>
      t('The administrator has not listed {host} for webhooks.', { host: listed || address }),
  ],
  [/^The host (\S+) was not found$/, (host) => t('There is no {host}.', { host })],
  [/^http is for private addresses only/, () => t('Use https.')],
  [/^Must be an https address$/, () => t('This is not a valid address.')],
  [/^Set by (.+)$/, (flag) => t('{flag} decides it when the server starts.', { flag })],
  [/^Invalid cron expression/, () => t('This is not a valid schedule.')],
  [/^Invalid expression/, () => t('Invalid expression.')],
  [/^Unknown placeholder (.+)$/, (name) => t('Unknown placeholder: {name}', { name })],
  [/expected email/, () => t('This is not a valid email address.')],
  [/[Mm]ust be an empty string or a valid URL$/, () => t('This is not a valid address.')],
  [/Path does not exist/, () => ERROR_TEXTS.folder_missing],
  [/Import path must be absolute/, () => t('Enter the full path, which begins with a slash.')],
  [/Lacking read permission/, () => ERROR_TEXTS.folder_denied],
  [/SMTP configuration: (.+)$/, (error) => t('The mail server refused: {error}', { error })],
];

function countAtLeast(count: string): string {
  return t('At least {count, plural, one {# character} other {# characters}}.', { count });
}

/** Returns the text for a message of the server; undefined: it has none. */
export function findText(message: string): string | undefined {
  if (Object.hasOwn(MESSAGE_TEXTS, message)) return MESSAGE_TEXTS[message];
  for (const [pattern, toText] of PATTERNS) {
    const [found, value = '', other = ''] = pattern.exec(message) ?? [];
    if (found !== undefined) return toText(value, other);
  }
  return undefined;
}

const findByCode = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(ERROR_TEXTS, code)
    ? ERROR_TEXTS[code as ErrorCode]
    : undefined;

/** Where there is neither a code nor a message that is known. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  401: ENDED,
  403: ERROR_TEXTS.missing_permission,
  404: ERROR_TEXTS.not_found,
  409: ERROR_TEXTS.invalid_state,
  410: ERROR_TEXTS.not_found,
  413: t('The file is too large for this server.'),
  415: UNSUPPORTED,
  429: ERROR_TEXTS.rate_limited,
  507: FULL,
};

export type Refusal = {
  readonly status: number;
  readonly code?: string | undefined;
  /** The server's message; undefined if a proxy responded. */
  readonly message?: string | undefined;
  /** The correlation id, by which an administrator finds the request in the log. */
  readonly reference?: string | undefined;
};

/** Returns the sentence for an error answer. One that nobody has foreseen names its reference. */
export function describeRefusal({ status, code, message = '', reference }: Refusal): string {
  // Some codes have many reasons: the message says which.
  const text = findText(message) ?? findByCode(code) ?? STATUS_TEXTS[status];
  if (text !== undefined && text !== TROUBLE) return text;
  const general = status >= 500 ? TROUBLE : t('Something went wrong.');
  return reference ? `${general} ${t('Reference: {reference}', { reference })}` : general;
}

/** Returns the text about one input. */
export const describeFault = (code: string | undefined, message: string | undefined): string =>
  findByCode(code) ?? findText(message ?? '') ?? INVALID;

/** Returns why a folder of this machine cannot be imported. */
export const describeFolderFault = (message: string): string =>
  findText(message) ?? ERROR_TEXTS.folder_refused;

/** Returns the sentence for a request with these texts about its inputs. */
export function joinFaults(texts: readonly string[]): string {
  const known = [...new Set(texts)].filter((text) => text !== INVALID);
  return known.length > 0 ? known.join(' ') : ERROR_TEXTS.validation_failed;
}
