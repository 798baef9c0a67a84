import { Elysia, t } from 'elysia';
import type { Ctx } from '../../../core/context.ts';
import type { Guard } from '../../../http/guard.ts';
import { NODE_ID } from '../../../jobs/node-id.ts';
import { listNodes } from '../../../nodes/store.ts';
import { NodeDto, type NodeListItem } from './nodes.schemas.ts';

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
