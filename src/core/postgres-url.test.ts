import { describe, expect, test } from 'bun:test';
import {
  changeAddress,
  getDatabaseName,
  getPassword,
  parsePostgresAddress,
} from './postgres-url.ts';

const SEVERAL = 'postgres://ada:se%40cret@a:5440,b,[2001:db8::1]:5441/photos?application_name=x';

describe('hosts', () => {
  const listHosts = (text: string) =>
    parsePostgresAddress(text).hosts.map(({ host, port }) => `${host} ${port}`);

  test.each<[string, string[]]>([
    ['postgres://a/db', ['a 5432']],
    [SEVERAL, ['a 5440', 'b 5432', '2001:db8::1 5441']],
    ['postgresql://u@%2Frun%2Fpg/db', ['/run/pg 5432']],
    ['postgres:///db?host=/run/pg&port=5440', ['/run/pg 5440']],
    ['postgres://ignored/db?host=a,b&port=1,2', ['a 1', 'b 2']],
    ['postgres://u:p@/db', ['localhost 5432']],
  ])('of %s', (text, hosts) => {
    expect(listHosts(text)).toEqual(hosts);
  });

  test.each([
    'mysql://a/db',
    'postgres:/a',
    'postgres://a:x/db',
    'postgres://a:70000/db',
    'postgres://a,%2Frun/db',
    'postgres://a/db?target_session_attrs=master',
    'postgres://a/db?sslmode=sometimes',
    'postgres://a/db?sslmode=require&sslcert=a.pem',
  ])('%s is refused', (text) => {
    expect(() => parsePostgresAddress(text)).toThrow();
  });
});

test('parameters of libpq are no settings of a session', () => {
  const { url, tls, targetSessionAttrs } = parsePostgresAddress(
    'postgres://a,b/db?sslmode=verify-full&sslrootcert=/ca.pem&target_session_attrs=primary&options=-c',
  );
  expect([...new URL(url).searchParams.keys()]).toEqual(['options']);
  expect(targetSessionAttrs).toBe('primary');
  expect(tls).toMatchObject({ mode: 'verify-full', rootCert: '/ca.pem' });
});

test.each<[string, unknown]>([
  ['', false],
  ['?sslmode=disable', false],
  ['?sslmode=require', { mode: 'require' }],
  ['?ssl=true', { mode: 'require' }],
  ['?sslmode=require&sslrootcert=/ca.pem', { mode: 'verify-ca', rootCert: '/ca.pem' }],
  ['?sslmode=prefer&sslrootcert=system', { mode: 'verify-full', rootCert: undefined }],
])('the encryption of %p', (query, tls) => {
  const parsed = parsePostgresAddress(`postgres://a/db${query}`).tls;
  if (tls === false) expect(parsed).toBe(false);
  else expect(parsed).toMatchObject(tls as object);
});

test('parts are changed, the hosts stay', () => {
  const changed = changeAddress(SEVERAL, { database: 'other one', user: 'b@b', password: '' });
  expect(changed).toBe(
    'postgres://b%40b@a:5440,b,[2001:db8::1]:5441/other%20one?application_name=x',
  );
  expect(getDatabaseName(changed)).toBe('other one');
  expect([getPassword(SEVERAL), getPassword(changed)]).toEqual(['se@cret', '']);
  expect(changeAddress('postgres://a/db', { role: 'r' })).toBe('postgres://a/db?role=r');
});
