import { AppError } from '../core/errors.ts';
import type { Session } from './session.ts';

// An API key, or a session that somebody has found open, must not be a way to take over the server or an
// account. What decides who is who, or hands out rights, needs a session whose user has logged in or given
// the password or PIN a moment ago.

const PROOF_MS = 10 * 60_000;

/** Returns whether a login, a password or a PIN at `provenAt` still proves who uses the session. */
export const isRecentProof = (provenAt: Date | null, now: Date): boolean =>
  // A clock that was set back makes no proof last.
  provenAt !== null && Math.abs(now.getTime() - provenAt.getTime()) < PROOF_MS;

/**
 * Throws 403 unless the session has a recent proof. `paths` name the members of the request that need it, as
 * 'oauth.issuerUrl'; without them the operation needs it.
 */
export function requireRecentProof(session: Session, paths: readonly string[] = ['']): void {
  if (session.kind === 'user' && session.isProven) return;
  const isSession = session.kind === 'user' && session.sessionId !== undefined;
  const message = isSession
    ? 'Enter your password or PIN first'
    : 'A session is required: an API key must not change this';
  const errors = paths.map((path) => ({
    code: PROOF_REQUIRED,
    path: path.split('.').filter(Boolean),
    message,
  }));
  throw new AppError('forbidden', message, { code: PROOF_REQUIRED, detail: { errors } });
}

const PROOF_REQUIRED = 'proof_required';
