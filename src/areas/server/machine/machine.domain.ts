import { X509Certificate } from 'node:crypto';
import type { Ctx } from '../../../core/context.ts';
import {
  chooseProfile,
  getInferenceMemory,
  PROFILES,
  readMemoryBytes,
} from '../../../core/machine.ts';
import { countCores } from '../../../core/setting-table.ts';
import { listFaults } from '../../../jobs/faults.store.ts';
import { listUncountedTime } from '../../../jobs/passed-time.ts';
import { findProblems } from '../problems.domain.ts';
import { readProfile } from '../../system-config/index.ts';
import type { Machine } from './machine.schemas.ts';

/** Returns the machine as the server sees it; `certificate` is the PEM text of the one that it serves. */
export async function getMachine(
  { db, paths, settings }: Pick<Ctx, 'db' | 'paths' | 'settings'>,
  certificate: string | undefined,
): Promise<Machine> {
  const { inferenceMemoryBytes } = settings;
  const profile = await readProfile(db, settings);
  const problems = await findProblems({ db, paths, settings });
  const isByProfile = PROFILES.some((one) => getInferenceMemory(one) === inferenceMemoryBytes);
  return {
    profile,
    detectedProfile: chooseProfile(readMemoryBytes()),
    memoryBytes: readMemoryBytes(),
    cores: countCores(),
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    inferenceMemoryBytes,
    isRestartNeeded: isByProfile && inferenceMemoryBytes !== getInferenceMemory(profile),
    certificate: certificate === undefined ? null : describeCertificate(certificate),
    faults: await listFaults(db),
    state: { isWell: problems.length === 0, text: problems.map(({ text }) => text).join('. ') },
    uncountedTime: await listUncountedTime(db),
  };
}

function describeCertificate(pem: string): Machine['certificate'] {
  const { fingerprint256, subject, issuer, subjectAltName, validTo } = new X509Certificate(pem);
  return {
    fingerprint: fingerprint256,
    names: (subjectAltName ?? '')
      .split(', ')
      .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
      .filter(Boolean),
    issuer: issuer.replaceAll('\n', ', '),
    expiresAt: new Date(validTo).toISOString(),
    isSelfSigned: subject === issuer,
  };
}
