import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import type { Settings } from '../core/settings.ts';
import { getFingerprint } from './certificate.ts';

/** Apple's systems refuse certificates that are valid for longer. */
const VALID_DAYS = 825;
const RENEWAL_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the settings with the files of a certificate that this server has made for itself, if they ask for
 * one. It is made at the first start, and again when it is about to expire. Throws Failure.
 */
export async function withOwnCertificate(settings: Settings, folder: string): Promise<Settings> {
  if (settings.https !== 'self-signed' || settings.tlsCert !== undefined) return settings;
  const { tlsCert, tlsKey } = getFiles(folder);
  if (!isValid(tlsCert) || !existsSync(tlsKey)) await createCertificate(folder, tlsCert, tlsKey);
  return { ...settings, tlsCert, tlsKey };
}

/** Returns the fingerprint of the certificate that a server with these settings serves, undefined without one. */
export function findFingerprint(settings: Settings, folder: string): string | undefined {
  const own = settings.https === 'self-signed' ? getFiles(folder).tlsCert : undefined;
  const path = settings.tlsCert ?? own;
  return path && existsSync(path) ? getFingerprint(readFileSync(path, 'utf8')) : undefined;
}

const getFiles = (folder: string) => ({
  tlsCert: join(folder, 'certificate.pem'),
  tlsKey: join(folder, 'key.pem'),
});

function isValid(path: string): boolean {
  try {
    const { validTo } = new X509Certificate(readFileSync(path));
    return Date.parse(validTo) - Date.now() > RENEWAL_DAYS * DAY_MS;
  } catch {
    return false;
  }
}

async function createCertificate(folder: string, cert: string, key: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Interrupted in between, the old pair or none is there: the key alone does not count.
  const [newCert, newKey] = [`${cert}.new`, `${key}.new`];
  const flags = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days ${VALID_DAYS}`;
  const extensions = [
    `subjectAltName=${listNames().join(',')}`,
    'basicConstraints=critical,CA:FALSE',
    'extendedKeyUsage=serverAuth',
  ].flatMap((extension) => ['-addext', extension]);
  const files = ['-keyout', newKey, '-out', newCert];
  const command = [
    'openssl',
    ...flags.split(' '),
    '-subj',
    '/CN=Safelight',
    ...extensions,
    ...files,
  ];
  if (!Bun.which('openssl')) {
    throw new Failure('openssl, which makes certificates, is missing: apt-get install openssl');
  }
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Failure(`No certificate could be made: ${errors}`);
  rmSync(cert, { force: true });
  renameSync(newKey, key);
  renameSync(newCert, cert);
}

/** Lists the names and addresses by which this machine is reached, as subjectAltName has them. */
function listNames(): string[] {
  const name = hostname().replace(/\..*/, '');
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.startsWith('fe80:'));
  const names = ['localhost', hostname(), `${name}.local`, 'safelight.local'];
  return [
    ...new Set(names.map((one) => `DNS:${one}`)),
    ...new Set(addresses.map((one) => `IP:${one}`)),
  ];
}
