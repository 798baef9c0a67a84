import { Elysia } from 'elysia';
import { defaultSettings } from '../../core/settings.ts';
import type { Db } from '../../db/client.ts';
import type { Guard } from '../../http/guard.ts';
import { DEFAULTS, readConfig, SECTIONS } from '../system-config/index.ts';
import { createPublicConfig, createUserConfig } from './config.ts';
import { PublicConfigDto, UserConfigDto } from './config.schemas.ts';

const readPublicConfig = async (db: Db) =>
  createPublicConfig(await readConfig(db, 'oauth', 'passwordLogin', 'server', 'theme'));

export const configRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Configuration'] })
    .use(guard)
    .get('/public/config', ({ ctx }) => readPublicConfig(ctx.db), {
      open: true,
      response: { 200: PublicConfigDto },
      detail: { operationId: 'getPublicConfig', summary: 'What the login page has to know' },
    })
    .get('/public/config/defaults', () => createPublicConfig(DEFAULTS), {
      open: true,
      response: { 200: PublicConfigDto },
      detail: { operationId: 'getPublicConfigDefaults', summary: 'The same, as it is delivered' },
    })
    .get(
      '/config',
      async ({ ctx, request }) =>
        createUserConfig(ctx.settings, request, await readConfig(ctx.db, ...SECTIONS)),
      {
        permission: 'userConfig.read',
        response: { 200: UserConfigDto },
        detail: { operationId: 'getUserConfig', summary: 'What a client has to know after login' },
      },
    )
    .get(
      '/config/defaults',
      ({ request }) => createUserConfig(defaultSettings(), request, DEFAULTS),
      {
        permission: 'userConfig.read',
        response: { 200: UserConfigDto },
        detail: { operationId: 'getUserConfigDefaults', summary: 'The same, as it is delivered' },
      },
    );
