import { findCookie } from '../access/credentials.ts';
import { requireValue } from '../core/required.ts';
import { saveUploadedBackup } from './backup-files.ts';
import {
  deleteAllBackups,
  getBackupDownload,
  listAllBackups,
  requireBackup,
} from './stored-backups.ts';
import { IMMICH_VERSION } from '../core/immich-version.ts';
import { AppError, badRequest, conflict, invalidField, invalidOption } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { errorBody } from '../http/error-body.ts';
import { fileResponse } from '../http/files.ts';
import { getClientOrigin } from '../http/forwarded.ts';
import { MAX_ANONYMOUS_BYTES, readJson } from '../http/request-body.ts';
import { toLoggedPath } from '../http/request-log.ts';
import { refuseWithoutUpgrade } from '../events/handshake.ts';
import { findAdministrator, refuseToken, verify } from './administrator.ts';
import { enterMode, leaveMode } from './cluster-mode.ts';
import { pageResponse } from './page.ts';
import { logResponse } from './log-response.ts';
import {
  MAINTENANCE_ACTIONS,
  type MaintenanceAction,
  type MaintenanceState,
  readState,
  recordLogin,
} from './state.ts';
import { type MaintenanceStatus, toStatusResponse } from './status.ts';
import { detectInstall } from './storage-folders.ts';
import { MAINTENANCE_COOKIE, signToken, toCookie } from './token.ts';

/** The defaults of the configuration that clients read: the configuration itself is in the database. */
export type ClientDefaults = {
  readonly minFaces: number;
  readonly oauthButtonText: string;
  readonly publicUsers: boolean;
  readonly trashDays: number;
  readonly userDeleteDelay: number;
};

export type HandlerOptions = {
  readonly settings: Settings;
  readonly paths: DataPaths;
  readonly log: Log;
  /** Undefined: the database does not run. */
  readonly databaseUrl: string | undefined;
  readonly getStatus: () => MaintenanceStatus;
  readonly clientDefaults: ClientDefaults;
  /** Whether a task runs. */
  readonly isBusy: () => boolean;
};

type Call = { readonly request: Request; readonly options: HandlerOptions };
type Operation = (call: Call) => object | undefined | Promise<object | undefined>;

/** Seconds after which clients ask again. */
const RETRY_AFTER = 10;

/** The server of maintenance mode: works without a database and without the code of the application. */
export function createMaintenanceHandler(options: HandlerOptions) {
  return async (request: Request): Promise<Response> => {
    try {
      return await respond({ request, options });
    } catch (error) {
      return toErrorResponse(request, error, options.log);
    }
  };
}

async function respond(call: Call): Promise<Response> {
  const { method, url } = call.request;
  const path = new URL(url).pathname.replace(/(?<=.)\/$/, '');
  const operation = OPERATIONS.get(`${method} ${path}`) ?? findDownload(method, path);
  if (operation) {
    const result = await operation(call);
    if (result instanceof Response) return result;
    return toResponse(result, method === 'POST' ? 201 : 200);
  }
  const refused = refuseWithoutUpgrade(url);
  if (refused) return refused;
  if (isPage(call.request, path)) return pageResponse(call.request, path);
  throw new AppError('unavailable', 'The server is in maintenance mode', {
    code: 'maintenance_mode',
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}

const OPERATIONS = new Map<string, Operation>([
  ['GET /.well-known/immich', () => ({ api: { endpoint: '/api' } })],
  ['GET /api/server/ping', () => ({ res: 'pong' })],
  ['GET /api/server/version', () => IMMICH_VERSION],
  ['GET /api/server/config', (call) => getConfig(call)],
  ['GET /api/admin/maintenance/status', (call) => getPublicStatus(call)],
  ['POST /api/admin/maintenance/login', (call) => login(call)],
  ['POST /api/admin/maintenance', forAdministrator(setAction)],
  [
    'GET /api/admin/maintenance/detect-install',
    forAdministrator(({ options }) => detectInstall(options.paths)),
  ],
  ['GET /api/admin/database-backups', forAdministrator(({ options }) => listAllBackups(options))],
  ['GET /api/admin/maintenance/logs', forAdministrator(() => logResponse())],
  ['DELETE /api/admin/database-backups', forAdministrator(deleteGiven)],
  ['POST /api/admin/database-backups/upload', forAdministrator(upload)],
]);

function findDownload(method: string, path: string): Operation | undefined {
  // The state of the backups is an operation of the application.
  const name = /^\/api\/admin\/database-backups\/(?!state$)([^/]+)$/.exec(path)?.[1];
  if (method !== 'GET' || name === undefined) return undefined;
  return forAdministrator(async ({ request, options }) =>
    fileResponse(request, await getBackupDownload(options, decodeName(name))),
  );
}

/** Malformed, it is left as it is: no backup has a percent sign in its name. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Runs the operation for those who hold a token only. */
function forAdministrator(operation: Operation): Operation {
  return (call) => {
    if (!findAdministrator(call)) {
      throw refuseToken(findCookie(call.request, MAINTENANCE_COOKIE));
    }
    return operation(call);
  };
}

const getPublicStatus = (call: Call) =>
  toStatusResponse(call.options.getStatus(), findAdministrator(call) !== undefined);

/** A token of an address is exchanged for one that stays; with one that stays, the client keeps it. */
async function login(call: Call): Promise<Response> {
  const { request, options } = call;
  const { token } = await readBody(request);
  if (token !== undefined && typeof token !== 'string') throw invalidField('token', 'Not a text');
  const given = token === undefined ? undefined : verify(options, token);
  const isUsed = given?.loginId !== undefined && !recordLogin(options.paths, given.loginId);
  const auth = given && !isUsed ? given : findAdministrator(call);
  const secret = readState(options.paths)?.secret;
  if (!auth || !secret) throw refuseToken(token ?? findCookie(request, MAINTENANCE_COOKIE));
  const { username, loginId } = auth;
  const present = auth === given ? token : findCookie(request, MAINTENANCE_COOKIE);
  const kept =
    loginId === undefined
      ? requireValue(present, 'token of the administrator')
      : signToken(secret, { username }, new Date());
  const { isEncrypted } = getClientOrigin(request, options.settings);
  return toResponse({ username }, 201, { 'set-cookie': toCookie(kept, isEncrypted) });
}

async function setAction({ request, options }: Call): Promise<undefined> {
  const { action, restoreBackupFilename: backup = '' } = await readBody(request);
  if (!MAINTENANCE_ACTIONS.includes(action as MaintenanceAction)) {
    throw invalidOption('action', MAINTENANCE_ACTIONS);
  }
  requireIdle(options);
  if (action === 'end') {
    await leaveMode(options);
    return;
  }
  if (action === 'restore_database') await requireBackup(options, String(backup));
  await enterMode(options, {
    action: action as MaintenanceState['action'],
    ...(action === 'restore_database' && { backup: String(backup) }),
  });
}

function requireIdle({ isBusy }: HandlerOptions): void {
  if (isBusy()) throw conflict('Wait until the running task has ended');
}

async function deleteGiven({ request, options }: Call): Promise<undefined> {
  const { backups } = await readBody(request);
  if (!Array.isArray(backups)) throw invalidField('backups', 'Not a list');
  await deleteAllBackups(options, backups.map(String));
}

async function upload({ request, options: { paths, settings } }: Call): Promise<undefined> {
  const form = { contentType: request.headers.get('content-type'), body: request.body };
  await saveUploadedBackup(paths.backups, settings.reserveBytes, form);
}

const getConfig = ({ options }: Call) => ({
  externalDomain: '',
  isInitialized: true,
  isOnboarded: true,
  loginPageMessage: '',
  maintenanceMode: true,
  mapDarkStyleUrl: '',
  mapLightStyleUrl: '',
  ...options.clientDefaults,
});

/** Returns the members of the body; none of an empty one. Throws 400, 413 or 415. */
async function readBody(request: Request): Promise<Record<string, unknown>> {
  const body = (await readJson(request, MAX_ANONYMOUS_BYTES)) ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) throw badRequest('Malformed request body');
  return body as Record<string, unknown>;
}

const isPage = ({ method, headers }: Request, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/(?:api|\.well-known|assets)(?:\/|$)/.test(path) &&
  (headers.get('accept')?.includes('text/html') ?? false);

function toResponse(
  body: object | undefined,
  status: number,
  headers: Record<string, string> = {},
): Response {
  const common = { 'cache-control': 'no-store', ...headers };
  if (!body) return new Response(null, { status, headers: common });
  return Response.json(body, { status, headers: common });
}

function toErrorResponse(request: Request, error: unknown, log: Log): Response {
  if (error instanceof AppError) {
    const { status, message, detail, code, headers } = error;
    return toResponse(errorBody(request, status, message, detail, code), status, headers);
  }
  log.error('request failed', {
    method: request.method,
    path: toLoggedPath(request.url),
    error,
  });
  return toResponse(errorBody(request, 500, 'Internal server error'), 500);
}
