import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { getStorageUses, measureAgain, getStoragePlaces } from './domain.ts';
import { StoragePlacesDto } from './places.schemas.ts';
import { StorageMeasurementDto, StorageUsesDto } from './schemas.ts';

export const storageUseRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/storage', ({ ctx }) => getStorageUses(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: StorageUsesDto },
      detail: {
        operationId: 'getStorageUses',
        summary: 'Tell the space of files by kind and account',
      },
    })
    .get('/storage/places', ({ ctx }) => getStoragePlaces(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: StoragePlacesDto },
      detail: {
        operationId: 'getStoragePlaces',
        summary: 'Tell what is in the data folder and in the object store',
      },
    })
    .post('/storage', ({ ctx }) => measureAgain(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: StorageMeasurementDto },
      detail: { operationId: 'measureStorage', summary: 'Measure the space of files again' },
    });
