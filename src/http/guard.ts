import { Elysia } from 'elysia';
import { createAuthenticate } from '../access/authenticate.ts';
import { holds, type Permission } from '../access/permissions.ts';
import type { Session, SharedLinkSession } from '../access/session.ts';
import type { Ctx, Deps } from '../core/context.ts';
import { AppError, forbidden, unauthorized } from '../core/errors.ts';
import { cancelQueryOnAbort } from '../db/cancel.ts';
import { getCaller } from './forwarded.ts';

export type Guard = ReturnType<typeof createGuard>;

/** What a route asks of its caller. The short form is the permission alone. */
export type Requirement = Permission | RequirementDetail;
export type RequirementDetail = {
  /** 'any': every credential will do, whatever it may do otherwise. */
  readonly of: Permission | 'any';
  /** Also through a shared link. */
  readonly guest?: true;
  /** Also while the password of the link has not been entered. */
  readonly beforePassword?: true;
  readonly admin?: true;
  /** Through a session: an API key alone is refused. */
  readonly session?: true;
  /** In a session whose PIN was entered. */
  readonly unlocked?: true;
};

const contexts = new WeakMap<Request, Ctx>();

/**
 * Gives a route its `ctx`, and only if the route says what it requires: a route without
 * `permission` or `open` has no `ctx` to hand to the domain, so it cannot compile into a leak.
 */
export const createGuard = (deps: Deps) => {
  const authenticate = createAuthenticate(deps);
  return new Elysia({ name: 'guard' }).macro({
    /** Requires a session that holds this permission. */
    permission: (requirement: Requirement) => {
      const detail = typeof requirement === 'string' ? { of: requirement } : requirement;
      return {
        detail: { ...documented(detail), security: [{ apiKey: [] }] } as object,
        // Before the request is read: a stranger learns 401, not which field was wrong.
        async transform({ request }: { request: Request }) {
          const caller = getCaller(request, deps.settings);
          const session = await authenticate(request, deps.now(), caller);
          check(session, detail);
          contexts.set(request, { ...deps, session });
        },
        resolve: ({ request }: { request: Request }) => ({ ctx: contextOf(request) }),
      };
    },
    /**
     * After `permission`, for long reads: when the client disconnects, PostgreSQL cancels what it runs
     * for it. Caches by `ctx.db` hold nothing for such a route.
     */
    untilGone: (_yes: true) => ({
      transform: ({ request }: { request: Request }) => endWithClient(request),
    }),
    /** Answers anyone: health, login. Gets the database but no session. */
    open: (_yes: true) => ({
      detail: { 'x-open': true } as object,
      resolve: () => ({ ctx: deps }),
    }),
  });
};

const documented = ({ of, guest, admin, session, unlocked }: RequirementDetail) => ({
  'x-permission': of,
  ...(guest && { 'x-guest': true }),
  ...(admin && { 'x-admin': true }),
  ...(session && { 'x-session': true }),
  ...(unlocked && { 'x-unlocked': true }),
});

function check(session: Session, need: RequirementDetail): void {
  if (session.kind === 'sharedLink') {
    if (session.needsPassword && !need.beforePassword) throw unauthorized('Password required');
    if (!need.guest || !mayGuest(session, need.of)) throw forbidden('Forbidden');
    return;
  }
  if (need.session && !session.sessionId) {
    throw forbidden('A session is required', { code: 'session_required' });
  }
  if (need.of !== 'any' && !holds(session.permissions, need.of)) {
    throw forbidden(`Missing required permission: ${need.of}`);
  }
  if (need.admin && !session.isAdmin) {
    throw new AppError('forbidden', 'Forbidden', { code: 'admin_required' });
  }
  if (need.unlocked && !session.unlocked) {
    throw unauthorized('Elevated permission is required', { code: 'elevation_required' });
  }
}

/** What the owner allowed for the link; a guest route names nothing else that could be refused. */
const mayGuest = (link: SharedLinkSession, permission: RequirementDetail['of']) =>
  permission === 'asset.download'
    ? link.allowDownload
    : permission === 'asset.upload'
      ? link.allowUpload
      : true;

function endWithClient(request: Request): void {
  const ctx = contextOf(request);
  contexts.set(request, { ...ctx, db: cancelQueryOnAbort(ctx, request.signal) });
}

function contextOf(request: Request): Ctx {
  const ctx = contexts.get(request);
  if (!ctx) throw new Error('route reached without authentication');
  return ctx;
}
