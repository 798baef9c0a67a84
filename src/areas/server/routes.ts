import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import { EXTENSIONS } from '../../media/formats.ts';
import { NEVER_CHECKED, VersionCheckStateResponseDto } from '../system/index.ts';
import {
  getAbout,
  APK_LINKS,
  getFeatures,
  getServerConfig,
  getStorage,
  listVersions,
  renderStatistics,
} from './domain.ts';
import { IMMICH_VERSION } from '../../core/immich-version.ts';
import { requireReady } from './readiness.domain.ts';
import {
  ServerAboutResponseDto,
  ServerApkLinksDto,
  ServerConfigDto,
  ServerFeaturesDto,
  ServerMediaTypesResponseDto,
  ServerPingResponse,
  ServerReadyDto,
  ServerStatsResponseDto,
  ServerStorageResponseDto,
  ServerVersionHistoryResponseDto,
  ServerVersionResponseDto,
} from './schemas.ts';

export const serverRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/server', tags: ['Server'] })
    .use(guard)
    .get('/ping', () => ({ res: 'pong' }), {
      open: true,
      response: { 200: ServerPingResponse },
      detail: { operationId: 'pingServer', summary: 'Is a server there?' },
    })
    .get('/ready', ({ ctx }) => requireReady(ctx), {
      open: true,
      response: { 200: ServerReadyDto },
      detail: {
        operationId: 'getReadiness',
        summary: 'Can requests be served now? 503 while the database or the data folder is away',
      },
    })
    .get('/version', () => IMMICH_VERSION, {
      open: true,
      response: { 200: ServerVersionResponseDto },
      detail: { operationId: 'getServerVersion', summary: 'The release whose clients are served' },
    })
    .get('/version-history', ({ ctx }) => listVersions(ctx), {
      open: true,
      response: { 200: t.Array(ServerVersionHistoryResponseDto) },
      detail: { operationId: 'getVersionHistory', summary: 'Since when which version runs' },
    })
    .get('/features', ({ ctx }) => getFeatures(ctx), {
      open: true,
      response: { 200: ServerFeaturesDto },
      detail: { operationId: 'getServerFeatures', summary: 'What this server can do' },
    })
    .get('/config', ({ ctx, request }) => getServerConfig(ctx, request), {
      open: true,
      response: { 200: ServerConfigDto },
      detail: { operationId: 'getServerConfig', summary: 'What clients need before the login' },
    })
    .get('/media-types', () => EXTENSIONS, {
      open: true,
      response: { 200: ServerMediaTypesResponseDto },
      detail: {
        operationId: 'getSupportedMediaTypes',
        summary: 'File extensions that are taken in',
      },
    })
    .get('/about', ({ ctx }) => getAbout(ctx), {
      permission: 'server.about',
      response: { 200: ServerAboutResponseDto },
      detail: { operationId: 'getAboutInfo', summary: 'What runs here' },
    })
    .get('/apk-links', () => APK_LINKS, {
      permission: 'server.apkLinks',
      response: { 200: ServerApkLinksDto },
      detail: {
        operationId: 'getApkLinks',
        summary: 'The phone app of the release that is served',
      },
    })
    .get('/storage', ({ ctx }) => getStorage(ctx), {
      permission: 'server.storage',
      response: { 200: ServerStorageResponseDto },
      detail: { operationId: 'getStorage', summary: 'Space on the disk of the library' },
    })
    .get('/version-check', () => NEVER_CHECKED, {
      permission: 'server.versionCheck',
      response: { 200: VersionCheckStateResponseDto },
      detail: { operationId: 'getVersionCheck', summary: 'Is there a newer version?' },
    })
    .get(
      '/statistics',
      async ({ ctx, request }) => jsonBytesResponse(request, await renderStatistics(ctx)),
      {
        permission: { of: 'server.statistics', admin: true },
        response: { 200: ServerStatsResponseDto },
        detail: { operationId: 'getServerStatistics', summary: 'Items and bytes of every account' },
      },
    );
