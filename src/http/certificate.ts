import { readFileSync } from 'node:fs';
import { Failure } from '../core/command-line.ts';
import type { Settings } from '../core/settings.ts';

type Certificate = { readonly cert: string; readonly key: string };

const read = new Map<string, Certificate>();

/**
 * Returns the certificate of the settings, undefined without one. Caches the files, because the process
 * cannot read the private key after dropping root. Throws Failure.
 */
export function readCertificate({ tlsCert, tlsKey }: Settings): Certificate | undefined {
  if (!tlsCert || !tlsKey) return undefined;
  const name = `${tlsCert}\n${tlsKey}`;
  try {
    const found = read.get(name) ?? {
      cert: readFileSync(tlsCert, 'utf8'),
      key: readFileSync(tlsKey, 'utf8'),
    };
    read.set(name, found);
    return found;
  } catch (error) {
    throw new Failure(`The certificate cannot be read: ${(error as Error).message}`);
  }
}
