import { describe, expect, test } from 'bun:test';
import { DEFAULTS } from '../system-config/index.ts';
import { readProfile } from './claims.ts';

const oauth = DEFAULTS.oauth;
const GIB = 1024 ** 3;

describe('the quota', () => {
  const readQuota = (claim: unknown, defaultStorageQuota: number | null = 7) =>
    readProfile({ immich_quota: claim }, { ...oauth, defaultStorageQuota }).quotaBytes;

  test('is read in GiB from numbers and decimal texts', () => {
    expect(readQuota(0)).toBe(0);
    expect(readQuota(1.5)).toBe(1.5 * GIB);
    expect(readQuota('12')).toBe(12 * GIB);
  });

  test('is that of the configuration where the claim makes no sense', () => {
    const nonsense = [
      undefined,
      null,
      '',
      ' ',
      'lots',
      '-1',
      '1e99',
      '0x10',
      -1,
      Number.NaN,
      Infinity,
      1e300,
      true,
      [],
      [5],
      {},
    ];
    for (const claim of nonsense) expect([claim, readQuota(claim)]).toEqual([claim, 7 * GIB]);
    expect(readQuota('lots', null)).toBeNull();
  });
});

test('only the exact role makes an administrator, in the configured claim', () => {
  const isAdmin = (claims: object, roleClaim = 'immich_role') =>
    readProfile({ ...claims }, { ...oauth, roleClaim }).isAdmin;
  expect(isAdmin({ immich_role: 'admin' })).toBe(true);
  for (const role of ['Admin', 'admin ', ['admin'], { admin: true }, true, 1]) {
    expect([role, isAdmin({ immich_role: role })]).toEqual([role, false]);
  }
  expect(isAdmin({ immich_role: 'admin' }, '')).toBe(false);
  expect(isAdmin({ immich_role: 'admin' }, 'role')).toBe(false);
  expect(isAdmin({ '': 'admin' }, '')).toBe(false);
  expect(isAdmin({}, 'constructor')).toBe(false);
});

test('names are taken from what the profile has, and texts that cannot be stored are left out', () => {
  const readName = (claims: object) => readProfile({ ...claims }, oauth).name;
  expect(readName({ name: ' Eve ', given_name: 'E' })).toBe('Eve');
  expect(readName({ given_name: 'Eve', family_name: 'Doe' })).toBe('Eve Doe');
  expect(readName({ family_name: 'Doe', name: '' })).toBe('Doe');
  expect(readName({ preferred_username: 'eve' })).toBe('eve');
  expect(readName({ name: 'a\0b' })).toBeUndefined();
  expect(readName({ name: '\ud800' })).toBeUndefined();
  expect(readName({ name: 'x'.repeat(1000) })).toHaveLength(255);
  const { email, isEmailVerified } = readProfile({ email: 'EVE@Example.com' }, oauth);
  expect([email, isEmailVerified]).toEqual(['eve@example.com', false]);
});
