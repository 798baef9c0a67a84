import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { checkHealth } from './health/health.domain.ts';
import { HealthDto } from './health/health.schemas.ts';
import { listRecentLines, RUN } from '../../core/recent-log.ts';
import { type LogLines, LogLinesDto, LogQuery, type LogQueryInput } from './log/log.schemas.ts';
import { readCertificate } from '../../http/certificate.ts';
import { getMachine } from './machine/machine.domain.ts';
import { MachineDto } from './machine/machine.schemas.ts';
import type { Ctx } from '../../core/context.ts';
import { NODE_ID } from '../../jobs/node-id.ts';
import { listNodes } from '../../nodes/store.ts';
import { NodeDto, type NodeListItem } from './nodes/nodes.schemas.ts';
import { getStorageForecast } from './storage-forecast/forecast.domain.ts';
import { StorageForecastDto } from './storage-forecast/forecast.schemas.ts';
import { getStorageUses, measureAgain, getStoragePlaces } from './storage-use/domain.ts';
import { StoragePlacesDto } from './storage-use/places.schemas.ts';
import { StorageMeasurementDto, StorageUsesDto } from './storage-use/schemas.ts';

export const healthRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .post('/health-checks', ({ ctx }) => checkHealth(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: HealthDto },
      detail: {
        operationId: 'checkHealth',
        summary: 'Check the tools, folders and the database that the server needs',
      },
    });

export const logRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/log', ({ query }) => listLines(query), {
      permission: { of: 'maintenance', admin: true },
      query: LogQuery,
      response: { 200: LogLinesDto },
      detail: {
        operationId: 'getLog',
        summary: 'List the last lines of the log, or those after one that is known',
      },
    });

/** Asked again and again: no viewer holds a connection, and none needs a place. */
const listLines = ({ run, after = 0 }: LogQueryInput): LogLines => ({
  run: RUN,
  // The numbers of an earlier run mean other lines.
  lines: listRecentLines(run === RUN ? after : 0),
});

export const machineRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/machine', ({ ctx }) => getMachine(ctx, readCertificate(ctx.settings)?.cert), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: MachineDto },
      detail: {
        operationId: 'getMachine',
        summary: 'Tell the kind of the machine, and the certificate of HTTPS',
      },
    });

export const nodeRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/nodes', ({ ctx }) => renderNodes(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: t.Array(NodeDto) },
      detail: {
        operationId: 'listNodes',
        summary:
          'List the processes that serve this library, and those that were lost within a day',
      },
    });

async function renderNodes({ db }: Pick<Ctx, 'db'>): Promise<NodeListItem[]> {
  const nodes = await listNodes(db);
  return nodes.map(({ startedAt, seenAt, ...node }) => ({
    ...node,
    isAnswering: node.id === NODE_ID,
    startedAt: new Date(startedAt).toISOString(),
    seenAt: seenAt === null ? null : new Date(seenAt).toISOString(),
  }));
}

export const storageForecastRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin', tags: ['Server'] })
    .use(guard)
    .get('/storage-forecast', ({ ctx }) => getStorageForecast(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: StorageForecastDto },
      detail: { operationId: 'getStorageForecast', summary: 'When the disk will be full' },
    });

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
