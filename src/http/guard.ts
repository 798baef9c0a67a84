import { Elysia } from 'elysia';
import { type AuthenticateOptions, createAuthenticate } from '../access/authenticate.ts';
import { hasPermission, type Permission, requirePermissions } from '../access/permissions.ts';
import { requireRecentProof } from '../access/recent-proof.ts';
import type { Session, SharedLinkSession } from '../access/session.ts';
import type { Ctx, Deps } from '../core/context.ts';
import { AppError, forbidden, noAccess, unauthorized } from '../core/errors.ts';
import { cancelQueryOnAbort } from '../db/cancel.ts';
import { getEpoch } from '../db/epoch.ts';
import { getClientOrigin } from './forwarded.ts';
import { createProxyWatch } from './proxy-watch.ts';

export type Guard = ReturnType<typeof createGuard>;

/** Requirements of a route. The short form is the permission alone. */
export type Requirement = Permission | RequirementDetail;
export type RequirementDetail = {
  /** 'any': any valid credential, whatever its permissions. */
  readonly of: Permission | 'any';
  /** Permissions of what the operation does indirectly. */
  readonly also?: readonly Permission[];
  /** The same where it depends on the request: the domain requires them. */
  readonly mayNeed?: readonly Permission[];
  /** Allowed through a shared link. 'byRequest': the domain checks what the link allows. 'only': the domain refuses accounts. */
  readonly guest?: true | 'byRequest' | 'only';
  /** Allowed before the password of the link has been entered. */
  readonly beforePassword?: true;
  readonly admin?: true;
  /** Requires a session: an API key alone is refused. */
  readonly session?: true;
  /** Requires an elevated session (PIN entered). */
  readonly unlocked?: true;
  /** The answer is remembered while the change log tells of nothing: the log is read with the session. */
  readonly isRemembered?: true;
  /** The answer may take long: `ctx` can read the session again. */
  readonly renewable?: true;
  /** Requires a session whose user has logged in or given the password or PIN a moment ago. */
  readonly proof?: true;
};

const contexts = new WeakMap<Request, Ctx>();

/**
 * Authenticates requests and provides `ctx`. A route that declares neither `permission` nor `open` gets no
 * `ctx` and does not compile.
 */
export const createGuard = (deps: Deps) => {
  const authenticate = createAuthenticate(deps);
  const watchProxies = createProxyWatch(deps);
  /** Counts neither as an attempt nor as activity of the user. */
  const renew = async (
    request: Request,
    host: string | null | undefined,
    need: RequirementDetail,
  ) => {
    const session = await authenticate(request, deps.now(), {
      host: host ?? null,
      background: true,
    });
    requireAllowed(session, need);
    return session;
  };
  const identify = (request: Request, caller: AuthenticateOptions, need: RequirementDetail) =>
    authenticate(request, deps.now(), { ...caller, withLog: need.isRemembered === true });
  return new Elysia({ name: 'guard' }).macro({
    /** Requires a session that holds this permission. */
    permission: (requirement: Requirement) => {
      const detail = typeof requirement === 'string' ? { of: requirement } : requirement;
      return {
        detail: { ...describeRequirement(detail), security: listSecurity(detail) } as object,
        // Before validation: an anonymous caller gets 401, not the field that is wrong.
        async transform({ request }: { request: Request }) {
          watchProxies(request);
          const epoch = getEpoch(deps.sql);
          const caller = getClientOrigin(request, deps.settings);
          const session = await identify(request, caller, detail);
          requireAllowed(session, detail);
          const renewSession = detail.renewable && (() => renew(request, caller.host, detail));
          contexts.set(request, {
            ...deps,
            session,
            epoch,
            ...(renewSession && { renewSession }),
          });
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
      detail: { 'x-open': true, security: [] } as object,
      resolve: () => ({ ctx: deps }),
    }),
  });
};

/** Names of `SECURITY_SCHEMES`: each is enough. */
const listSecurity = ({ session, proof, unlocked, guest }: RequirementDetail) =>
  [
    ...(guest === 'only' ? [] : ['bearer', 'cookie']),
    ...(guest === 'only' || (session ?? proof ?? unlocked) ? [] : ['api_key']),
    ...(guest ? ['shared_link_key', 'shared_link_slug'] : []),
  ].map((name) => ({ [name]: [] }));

const describeRequirement = (need: RequirementDetail) => ({
  'x-permission': need.of,
  ...(need.also && { 'x-also-permissions': need.also }),
  ...(need.mayNeed && { 'x-conditional-permissions': need.mayNeed }),
  ...(need.guest && { 'x-guest': true }),
  ...(need.admin && { 'x-admin': true }),
  ...((need.session ?? need.proof) && { 'x-session': true }),
  ...(need.unlocked && { 'x-unlocked': true }),
  ...(need.proof && { 'x-proof': true }),
});

function requireAllowed(session: Session, need: RequirementDetail): void {
  if (session.kind === 'sharedLink') {
    if (session.needsPassword && !need.beforePassword) throw unauthorized('Password required');
    if (!need.guest) throw forbidden('Forbidden');
    if (need.guest !== 'byRequest') requireAllowedByLink(session, need.of);
    return;
  }
  if ((need.session ?? need.proof) && !session.sessionId) {
    throw forbidden('A session is required', { code: 'session_required' });
  }
  if (need.of !== 'any' && !hasPermission(session.permissions, need.of)) {
    throw forbidden(`Missing required permission: ${need.of}`);
  }
  requirePermissions(session, need.also ?? []);
  if (need.admin && !session.isAdmin) {
    throw new AppError('forbidden', 'Forbidden', { code: 'admin_required' });
  }
  if (need.proof) requireRecentProof(session);
  if (need.unlocked && !session.unlocked) {
    throw unauthorized('Elevated permission is required', { code: 'elevation_required' });
  }
}

/**
 * Throws as Immich does unless the link's settings allow the permission of a guest route: 400 for downloads,
 * which read as ids without access, and 401 for uploads.
 */
function requireAllowedByLink(
  { allowDownload, allowUpload }: SharedLinkSession,
  permission: RequirementDetail['of'],
): void {
  if (permission === 'asset.download' && !allowDownload) throw noAccess(permission);
  if (permission === 'asset.upload' && !allowUpload) throw unauthorized('Unauthorized');
}

function bindToConnection(request: Request): void {
  const ctx = getCtx(request);
  contexts.set(request, { ...ctx, db: cancelQueryOnAbort(ctx, request.signal) });
}

function getCtx(request: Request): Ctx {
  const ctx = contexts.get(request);
  if (!ctx) throw new Error('route reached without authentication');
  return ctx;
}
