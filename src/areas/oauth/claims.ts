import type { OAuthConfig } from '../openid/index.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Account that a profile describes. */
export type ProfileAccount = {
  /** In lower case; undefined without a usable address. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  readonly quotaBytes: number | null;
  readonly storageLabel: string | undefined;
};

const GIB = 1024 ** 3;
const MAX_NAME_LENGTH = 255;
const MAX_EMAIL_LENGTH = 254;

/** Reads the claims of a profile. A claim of the wrong type or out of range counts as absent. */
export function readProfile(profile: Claims, oauth: OAuthConfig): ProfileAccount {
  const email = findText(profile, 'email')?.toLowerCase();
  return {
    email: email && isEmail(email) ? email : undefined,
    isEmailVerified: ['true', true].includes(profile['email_verified'] as string),
    name: findName(profile)?.slice(0, MAX_NAME_LENGTH),
    isAdmin: findClaim(profile, oauth.roleClaim) === 'admin',
    quotaBytes: toQuotaBytes(
      parseQuota(findClaim(profile, oauth.storageQuotaClaim)) ?? oauth.defaultStorageQuota,
    ),
    storageLabel: findText(profile, oauth.storageLabelClaim),
  };
}

/** An empty name of a claim switches it off. */
const findClaim = (profile: Claims, name: string): unknown =>
  name !== '' && Object.hasOwn(profile, name) ? profile[name] : undefined;

function findText(profile: Claims, name: string): string | undefined {
  const value = findClaim(profile, name);
  // PostgreSQL stores neither NUL nor half a character.
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return undefined;
  return value.trim() || undefined;
}

const isEmail = (text: string) => text.length <= MAX_EMAIL_LENGTH && /^[^\s@]+@[^\s@]+$/.test(text);

function findName(profile: Claims): string | undefined {
  const parts = [findText(profile, 'given_name'), findText(profile, 'family_name')];
  return (
    findText(profile, 'name') ??
    (parts.filter(Boolean).join(' ') || findText(profile, 'preferred_username'))
  );
}

/** Returns GiB of a number or a decimal text, undefined for everything else. */
function parseQuota(value: unknown): number | undefined {
  const isNumber = typeof value === 'number';
  const isDecimal = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value);
  const gib = isNumber || isDecimal ? Number(value) : Number.NaN;
  return gib >= 0 && gib * GIB <= Number.MAX_SAFE_INTEGER ? gib : undefined;
}

const toQuotaBytes = (gib: number | null) => (gib === null ? null : Math.round(gib * GIB));
