import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { checkHealth } from './health.domain.ts';
import { HealthDto } from './health.schemas.ts';

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
