import { runInHashQueue } from './hash-queue.ts';

/** OWASP's second argon2id setting: 19 MiB and two passes, about 20 ms on a small machine. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** Minimum of NIST SP 800-63B §5.1.1.1. */
export const MIN_PASSWORD_LENGTH = 8;
/** Bounds the work of hashing, which anonymous callers can trigger. */
export const MAX_PASSWORD_LENGTH = 1024;

let lastHash = 0;

/** Returns the argon2id hash of a password or PIN. */
export const hashSecret = (secret: string): Promise<string> =>
  runInHashQueue({ source: `hash ${++lastHash}`, isKnown: true }, () =>
    Bun.password.hash(secret, ARGON2ID),
  );

let decoy: Promise<string> | undefined;

/**
 * Returns true when the secret matches the hash. As expensive as hashing: call it within runInHashQueue.
 * Without a hash it returns false in the same time, so that the time does not reveal whether an account
 * exists.
 */
export async function verifySecret(
  secret: string,
  hash: string | null | undefined,
): Promise<boolean> {
  if (secret.length > MAX_PASSWORD_LENGTH) return false;
  decoy ??= Bun.password.hash(crypto.randomUUID(), ARGON2ID);
  const isRight = await Bun.password.verify(secret, hash || (await decoy));
  return Boolean(hash) && isRight;
}
