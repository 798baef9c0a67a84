/** OWASP's second argon2id setting: 19 MiB and two passes, about 20 ms on a small machine. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** What NIST SP 800-63B asks of a password that people choose. */
export const MIN_PASSWORD_LENGTH = 8;
/** Longer than any person types; without a bound, hashing is work that a stranger orders. */
export const MAX_PASSWORD_LENGTH = 1024;

/**
 * Hashing runs on the thread pool that also reads and writes files. Two at a time leave it room, and
 * bound the memory that a flood of logins takes.
 */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** For passwords and PINs: what people choose, and so could be guessed from a fast digest. */
export const hashSecret = (secret: string): Promise<string> =>
  inTurn(() => Bun.password.hash(secret, ARGON2ID));

let decoy: Promise<string> | undefined;

/** Without a hash it takes as long and answers no: the time tells nobody that an account exists. */
export async function verifySecret(
  secret: string,
  hash: string | null | undefined,
): Promise<boolean> {
  if (secret.length > MAX_PASSWORD_LENGTH) return false;
  decoy ??= hashSecret(crypto.randomUUID());
  const known = hash || (await decoy);
  const isRight = await inTurn(() => Bun.password.verify(secret, known));
  return Boolean(hash) && isRight;
}
