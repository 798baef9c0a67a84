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
  const name = getName(settings);
  if (name === undefined) return undefined;
  const certificate = loaded.get(name) ?? readFiles(settings);
  loaded.set(name, certificate);
  return certificate;
}

const getName = ({ tlsCert, tlsKey }: Settings): string | undefined =>
  tlsCert && tlsKey ? `${tlsCert}\n${tlsKey}` : undefined;

function readFiles({ tlsCert, tlsKey }: Settings): Certificate {
  try {
    return { cert: readFileSync(tlsCert!, 'utf8'), key: readFileSync(tlsKey!, 'utf8') };
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
  const name = getName(settings);
  if (name === undefined) return () => {};
  let isWarned = false;
  const poll = async () => {
    try {
      const [before, now] = [loaded.get(name), readFiles(settings)];
      if (before?.cert === now.cert && before.key === now.key) return;
      if (!isPair(now)) return;
      loaded.set(name, now);
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
  const isChain = chain.every((one, at) => at === 0 || isIssuedBy(chain[at - 1]!, one));
  const top = chain.at(-1);
  return (
    isChain &&
    top !== undefined &&
    rootCertificates.some((root) => isIssuedBy(top, new X509Certificate(root)))
  );
}

const isIssuedBy = (one: X509Certificate, issuer: X509Certificate): boolean =>
  one.issuer === issuer.subject && one.verify(issuer.publicKey);
