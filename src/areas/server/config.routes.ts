import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { defaultSettings } from '../../core/settings.ts';
import { readExternalDomain } from '../mail/index.ts';
import { PUBLIC_CONFIG, createUserConfig } from './config.ts';
import { PublicConfigDto, UserConfigDto } from './config.schemas.ts';

export const configRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Configuration'] })
    .use(guard)
    .get('/public/config', () => PUBLIC_CONFIG, {
      open: true,
      response: { 200: PublicConfigDto },
      detail: { operationId: 'getPublicConfig', summary: 'What the login page has to know' },
    })
    .get('/public/config/defaults', () => PUBLIC_CONFIG, {
      open: true,
      response: { 200: PublicConfigDto },
      detail: { operationId: 'getPublicConfigDefaults', summary: 'The same, as it is delivered' },
    })
    .get(
      '/config',
      async ({ ctx, request }) =>
        createUserConfig(ctx.settings, request, await readExternalDomain(ctx.db)),
      {
        permission: 'userConfig.read',
        response: { 200: UserConfigDto },
        detail: { operationId: 'getUserConfig', summary: 'What a client has to know after login' },
      },
    )
    .get('/config/defaults', ({ request }) => createUserConfig(defaultSettings(), request), {
      permission: 'userConfig.read',
      response: { 200: UserConfigDto },
      detail: { operationId: 'getUserConfigDefaults', summary: 'The same, as it is delivered' },
    });
