import { inHashQueue } from './hash-queue.ts';

/** OWASP's second argon2id setting: 19 MiB and two passes, about 20 ms on a small machine. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** What NIST SP 800-63B asks of a password that people choose. */
export const MIN_PASSWORD_LENGTH = 8;
/** Longer than any person types; without a bound, hashing is work that a stranger orders. */
export const MAX_PASSWORD_LENGTH = 1024;

let lastHash = 0;

/** For passwords and PINs: what people choose, and so could be guessed from a fast digest. */
export const hashSecret = (secret: string): Promise<string> =>
  inHashQueue({ source: `hash ${++lastHash}`, isKnown: true }, () =>
    Bun.password.hash(secret, ARGON2ID),
  );

let decoy: Promise<string> | undefined;

/**
 * Costs what hashing costs: call it in its turn, see inHashQueue. Without a hash it takes as long and
 * returns false: the time tells nobody that an account exists.
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
