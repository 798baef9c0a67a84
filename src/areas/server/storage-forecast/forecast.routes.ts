import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { getStorageForecast } from './forecast.domain.ts';
import { StorageForecastDto } from './forecast.schemas.ts';

export const storageForecastRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/storage-forecast', ({ ctx }) => getStorageForecast(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: StorageForecastDto },
      detail: { operationId: 'getStorageForecast', summary: 'When the disk will be full' },
    });
