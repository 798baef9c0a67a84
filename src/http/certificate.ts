import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Failure } from '../core/command-line.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';

/** PEM texts. */
export type Certificate = { readonly cert: string; readonly key: string };

const loaded = new Map<string, Certificate>();

/**
 * Returns the certificate of the settings, undefined without one. Caches the files, because the process
 * cannot read the private key after dropping root. Throws Failure.
 */
export function readCertificate(settings: Settings): Certificate | undefined {
  const files = findFiles(settings);
  if (!files) return undefined;
  const certificate = loaded.get(files.name) ?? readFiles(files);
  loaded.set(files.name, certificate);
  return certificate;
}

/** Paths of the files, and a name of both. */
type Files = { readonly name: string; readonly cert: string; readonly key: string };

const findFiles = ({ tlsCert: cert, tlsKey: key }: Settings): Files | undefined =>
  cert && key ? { name: `${cert}\n${key}`, cert, key } : undefined;

function readFiles({ cert, key }: Files): Certificate {
  try {
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } catch (error) {
    throw new Failure(`The certificate cannot be read: ${(error as Error).message}`);
  }
}

/** Programs that renew certificates write two files, one after the other. */
const POLL_MS = 60_000;

/**
 * Calls `onChange` after `readCertificate` has got new files: those of an ACME client. Files that cannot be
 * read or do not fit together are left alone until they do. Returns a function that ends it.
 */
export function watchCertificate(
  settings: Settings,
  log: Log,
  onChange: () => Promise<void>,
  pollMs = POLL_MS,
): () => void {
  const files = findFiles(settings);
  if (!files) return () => {};
  let isWarned = false;
  const poll = async () => {
    try {
      const [before, now] = [loaded.get(files.name), readFiles(files)];
      if (before?.cert === now.cert && before.key === now.key) return;
      if (!isPair(now)) return;
      loaded.set(files.name, now);
      await onChange();
      log.info('certificate renewed', { fingerprint: getFingerprint(now.cert) });
      isWarned = false;
    } catch (error) {
      if (!isWarned) log.warn('reading the certificate again failed', { error });
      isWarned = true;
    }
  };
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void (running = running.then(poll)), pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Bun's X509Certificate.checkPrivateKey returns true for every key. */
function isPair({ cert, key }: Certificate): boolean {
  const own = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
  return own.equals(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }));
}

/** Returns the SHA-256 of the certificate as browsers show it: pairs of hexadecimal digits. */
export const getFingerprint = (cert: string): string => new X509Certificate(cert).fingerprint256;

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns whether the chain leads to an authority that browsers know. */
export function isPubliclyTrusted(cert: string): boolean {
  const chain = (cert.match(BLOCK) ?? []).map((text) => new X509Certificate(text));
  const isChain = chain.every((one, at) => {
    const issuer = chain[at + 1];
    return !issuer || isIssuedBy(one, issuer);
  });
  const top = chain.at(-1);
  return (
    isChain &&
    top !== undefined &&
    rootCertificates.some((root) => isIssuedBy(top, new X509Certificate(root)))
  );
}

const isIssuedBy = (one: X509Certificate, issuer: X509Certificate): boolean =>
  one.issuer === issuer.subject && one.verify(issuer.publicKey);
