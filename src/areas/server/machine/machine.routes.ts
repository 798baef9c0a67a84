import { Elysia } from 'elysia';
import { readCertificate } from '../../../http/certificate.ts';
import type { Guard } from '../../../http/guard.ts';
import { getMachine } from './machine.domain.ts';
import { MachineDto } from './machine.schemas.ts';

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
