import { Elysia } from 'elysia';
import { createAuthenticate } from '../access/authenticate.ts';
import { hasPermission, type Permission } from '../access/permissions.ts';
import type { Session, SharedLinkSession } from '../access/session.ts';
import type { Ctx, Deps } from '../core/context.ts';
import { AppError, forbidden, unauthorized } from '../core/errors.ts';
import { cancelQueryOnAbort } from '../db/cancel.ts';
import { getClientOrigin } from './forwarded.ts';

export type Guard = ReturnType<typeof createGuard>;

/** Requirements of a route. The short form is the permission alone. */
export type Requirement = Permission | RequirementDetail;
export type RequirementDetail = {
  /** 'any': any valid credential, whatever its permissions. */
  readonly of: Permission | 'any';
  /** Allowed through a shared link. */
  readonly guest?: true;
  /** Allowed before the password of the link has been entered. */
  readonly beforePassword?: true;
  readonly admin?: true;
  /** Requires a session: an API key alone is refused. */
  readonly session?: true;
  /** Requires an elevated session (PIN entered). */
  readonly unlocked?: true;
};

const contexts = new WeakMap<Request, Ctx>();

/**
 * Authenticates requests and provides `ctx`. A route that declares neither `permission` nor `open` gets no
 * `ctx` and does not compile.
 */
export const createGuard = (deps: Deps) => {
  const authenticate = createAuthenticate(deps);
  return new Elysia({ name: 'guard' }).macro({
    /** Requires a session that holds this permission. */
    permission: (requirement: Requirement) => {
      const detail = typeof requirement === 'string' ? { of: requirement } : requirement;
      return {
        detail: { ...describeRequirement(detail), security: [{ apiKey: [] }] } as object,
        // Before validation: an anonymous caller gets 401, not the field that is wrong.
        async transform({ request }: { request: Request }) {
          const caller = getClientOrigin(request, deps.settings);
          const session = await authenticate(request, deps.now(), caller);
          requireAllowed(session, detail);
          contexts.set(request, { ...deps, session });
        },
        resolve: ({ request }: { request: Request }) => ({ ctx: getCtx(request) }),
      };
    },
    /**
     * After `permission`, for long reads: when the client disconnects, PostgreSQL cancels what it runs
     * for it. Caches by `ctx.db` hold nothing for such a route.
     */
    cancelOnDisconnect: (_yes: true) => ({
      transform: ({ request }: { request: Request }) => bindToConnection(request),
    }),
    /** No authentication (health, login): `ctx` without a session. */
    open: (_yes: true) => ({
      detail: { 'x-open': true } as object,
      resolve: () => ({ ctx: deps }),
    }),
  });
};

const describeRequirement = ({ of, guest, admin, session, unlocked }: RequirementDetail) => ({
  'x-permission': of,
  ...(guest && { 'x-guest': true }),
  ...(admin && { 'x-admin': true }),
  ...(session && { 'x-session': true }),
  ...(unlocked && { 'x-unlocked': true }),
});

function requireAllowed(session: Session, need: RequirementDetail): void {
  if (session.kind === 'sharedLink') {
    if (session.needsPassword && !need.beforePassword) throw unauthorized('Password required');
    if (!need.guest || !isAllowedByLink(session, need.of)) throw forbidden('Forbidden');
    return;
  }
  if (need.session && !session.sessionId) {
    throw forbidden('A session is required', { code: 'session_required' });
  }
  if (need.of !== 'any' && !hasPermission(session.permissions, need.of)) {
    throw forbidden(`Missing required permission: ${need.of}`);
  }
  if (need.admin && !session.isAdmin) {
    throw new AppError('forbidden', 'Forbidden', { code: 'admin_required' });
  }
  if (need.unlocked && !session.unlocked) {
    throw unauthorized('Elevated permission is required', { code: 'elevation_required' });
  }
}

/** Returns whether the link's settings allow the permission of a guest route. */
const isAllowedByLink = (link: SharedLinkSession, permission: RequirementDetail['of']) =>
  permission === 'asset.download'
    ? link.allowDownload
    : permission === 'asset.upload'
      ? link.allowUpload
      : true;

function bindToConnection(request: Request): void {
  const ctx = getCtx(request);
  contexts.set(request, { ...ctx, db: cancelQueryOnAbort(ctx, request.signal) });
}

function getCtx(request: Request): Ctx {
  const ctx = contexts.get(request);
  if (!ctx) throw new Error('route reached without authentication');
  return ctx;
}
