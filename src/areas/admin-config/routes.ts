import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import {
  getConfig,
  getDefaults,
  getLocked,
  updateConfig,
  getOwnConfig,
  updateOwnConfig,
} from './domain.ts';
import {
  AdminConfigDto,
  LockedConfigMemberDto,
  SystemConfigTemplateStorageOptionDto,
  SafelightConfigDto,
} from '../system-config/index.ts';
import { STORAGE_OPTIONS } from './storage-options.ts';

/** The document has two addresses: older clients know the first. */
export const systemConfigRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Configuration'] })
    .use(guard)
    .get('/system-config', ({ ctx }) => getConfig(ctx), {
      permission: { of: 'systemConfig.read', admin: true },
      response: { 200: AdminConfigDto },
      detail: { operationId: 'getConfig', summary: 'Get the configuration' },
    })
    .put('/system-config', ({ ctx, body }) => updateConfig(ctx, body), {
      permission: { of: 'systemConfig.update', admin: true },
      body: AdminConfigDto,
      response: { 200: AdminConfigDto },
      detail: { operationId: 'updateConfig', summary: 'Replace the configuration' },
    })
    .get('/system-config/defaults', () => getDefaults(), {
      permission: { of: 'systemConfig.read', admin: true },
      response: { 200: AdminConfigDto },
      detail: { operationId: 'getConfigDefaults', summary: 'Get the default configuration' },
    })
    .get('/system-config/storage-template-options', () => STORAGE_OPTIONS, {
      permission: { of: 'systemConfig.read', admin: true },
      response: { 200: SystemConfigTemplateStorageOptionDto },
      detail: {
        operationId: 'getStorageTemplateOptions',
        summary: 'List the parts of storage templates',
      },
    })
    .get('/admin/config', ({ ctx }) => getConfig(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: AdminConfigDto },
      detail: { operationId: 'getAdminConfig', summary: 'Get the configuration' },
    })
    .put('/admin/config', ({ ctx, body }) => updateConfig(ctx, body), {
      permission: { of: 'adminConfig.update', admin: true },
      body: AdminConfigDto,
      response: { 200: AdminConfigDto },
      detail: { operationId: 'updateAdminConfig', summary: 'Replace the configuration' },
    })
    .get('/admin/config/defaults', () => getDefaults(), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: AdminConfigDto },
      detail: { operationId: 'getAdminConfigDefaults', summary: 'Get the default configuration' },
    })
    .get('/admin/config/locked', ({ ctx }) => getLocked(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: t.Array(LockedConfigMemberDto) },
      detail: {
        operationId: 'getLockedConfig',
        summary: 'List the members that the command line or the environment sets',
      },
    })
    .get('/admin/config/safelight', ({ ctx }) => getOwnConfig(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: SafelightConfigDto },
      detail: {
        operationId: 'getSafelightConfig',
        summary: 'Get the configuration that Immich does not have',
      },
    })
    .put('/admin/config/safelight', ({ ctx, body }) => updateOwnConfig(ctx, body), {
      permission: { of: 'adminConfig.update', admin: true },
      body: SafelightConfigDto,
      response: { 200: SafelightConfigDto },
      detail: {
        operationId: 'updateSafelightConfig',
        summary: 'Replace the configuration that Immich does not have',
      },
    });
