import { Elysia } from 'elysia';
import { findCookie } from '../../access/credentials.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { NoContent } from '../../http/schemas.ts';
import { UserAdminResponseDto } from '../users/index.ts';
import { AUTH_TYPE_COOKIE, loginCookies, logoutCookies } from './cookies.ts';
import { readDevice, readDeviceToken } from './device.ts';
import { refuseOtherSites } from './other-sites.ts';
import { authStatus, changePassword, login, logout, signUpAdmin } from './domain.ts';
import {
  changePin,
  createPin,
  lockOwnSession,
  proveSession,
  resetPin,
  unlockSession,
} from './pin.domain.ts';
import {
  AuthStatusResponseDto,
  ChangePasswordDto,
  LoginCredentialDto,
  LoginResponseDto,
  LogoutResponseDto,
  PinCodeChangeDto,
  PinCodeResetDto,
  PinCodeSetupDto,
  SessionProofDto,
  SessionUnlockDto,
  SignUpDto,
  ValidateAccessTokenResponseDto,
} from './schemas.ts';

export const authRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/auth', tags: ['Authentication'] })
    .use(guard)
    .use(accountRoutes(guard))
    .use(pinRoutes(guard));

const accountRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/admin-sign-up',
      async ({ ctx, body, request, status }) => {
        refuseOtherSites(request, getClientOrigin(request, ctx.settings));
        return status(201, await signUpAdmin(ctx, body));
      },
      {
        open: true,
        body: SignUpDto,
        response: { 201: UserAdminResponseDto },
        detail: { operationId: 'signUpAdmin', summary: 'Create the first account, once' },
      },
    )
    .post(
      '/login',
      async ({ ctx, body, request, set, status }) => {
        const caller = getClientOrigin(request, ctx.settings);
        refuseOtherSites(request, caller);
        const { address, isEncrypted } = caller;
        const answer = await login(ctx, body, {
          address,
          device: readDevice(request.headers),
          deviceToken: readDeviceToken(request.headers),
        });
        set.headers['set-cookie'] = loginCookies(answer.accessToken, isEncrypted);
        return status(201, answer);
      },
      {
        open: true,
        body: LoginCredentialDto,
        response: { 201: LoginResponseDto },
        detail: { operationId: 'login', summary: 'Log in with e-mail and password' },
      },
    )
    .post(
      '/logout',
      async ({ ctx, request, set }) => {
        const byOAuth = findCookie(request, AUTH_TYPE_COOKIE) === 'oauth';
        const redirectUri = await logout(ctx, { byOAuth });
        set.headers['set-cookie'] = logoutCookies();
        return { successful: true, redirectUri };
      },
      {
        permission: 'all',
        response: { 200: LogoutResponseDto },
        detail: { operationId: 'logout', summary: 'End this session' },
      },
    )
    .post('/validateToken', () => ({ authStatus: true }), {
      permission: { of: 'any' },
      response: { 200: ValidateAccessTokenResponseDto },
      detail: { operationId: 'validateAccessToken', summary: 'Is this credential good?' },
    })
    .get('/status', ({ ctx }) => authStatus(ctx), {
      permission: 'all',
      response: { 200: AuthStatusResponseDto },
      detail: { operationId: 'getAuthStatus', summary: 'How far the caller is let in' },
    })
    .post('/change-password', ({ ctx, body }) => changePassword(ctx, body), {
      permission: 'auth.changePassword',
      body: ChangePasswordDto,
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'changePassword', summary: "Change the caller's password" },
    });

const pinRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/pin-code',
      async ({ ctx, body, status }) => {
        await createPin(ctx, body.pinCode);
        return status(204, undefined);
      },
      {
        permission: 'pinCode.create',
        body: PinCodeSetupDto,
        response: { 204: NoContent },
        detail: { operationId: 'setupPinCode', summary: 'Set the first PIN' },
      },
    )
    .put(
      '/pin-code',
      async ({ ctx, body, status }) => {
        await changePin(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'pinCode.update',
        body: PinCodeChangeDto,
        response: { 204: NoContent },
        detail: { operationId: 'changePinCode', summary: 'Change the PIN' },
      },
    )
    .delete(
      '/pin-code',
      async ({ ctx, body, status }) => {
        await resetPin(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'pinCode.delete',
        body: PinCodeResetDto,
        response: { 204: NoContent },
        detail: { operationId: 'resetPinCode', summary: 'Remove the PIN and lock every session' },
      },
    )
    .post(
      '/session/unlock',
      async ({ ctx, body, status }) => {
        await unlockSession(ctx, body);
        return status(204, undefined);
      },
      {
        permission: { of: 'all', session: true },
        body: SessionUnlockDto,
        response: { 204: NoContent },
        detail: { operationId: 'unlockAuthSession', summary: 'Show Locked media in this session' },
      },
    )
    .post(
      '/session/proof',
      async ({ ctx, body, status }) => {
        await proveSession(ctx, body);
        return status(204, undefined);
      },
      {
        permission: { of: 'all', session: true },
        body: SessionProofDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'proveAuthSession',
          summary: 'Give the password or PIN, for what needs it anew',
        },
      },
    )
    .post(
      '/session/lock',
      async ({ ctx, status }) => {
        await lockOwnSession(ctx);
        return status(204, undefined);
      },
      {
        permission: { of: 'all', session: true },
        response: { 204: NoContent },
        detail: { operationId: 'lockAuthSession', summary: 'Hide Locked media in this session' },
      },
    );
