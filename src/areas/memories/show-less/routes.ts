import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { addRule, listRules, removeRule } from './domain.ts';
import { MemoryShowLessDto, MemoryShowLessResponseDto } from './schemas.ts';

const Rules = t.Array(MemoryShowLessResponseDto);

export const showLessRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/memories/show-less', tags: ['Memories'] })
    .use(guard)
    .get('', ({ ctx }) => listRules(ctx), {
      permission: 'memory.read',
      response: { 200: Rules },
      detail: { operationId: 'getMemoryShowLess', summary: 'List the subjects to show less of' },
    })
    .post('', async ({ ctx, body, status }) => status(200, await addRule(ctx, body)), {
      permission: 'memory.update',
      body: MemoryShowLessDto,
      response: { 200: Rules },
      detail: { operationId: 'addMemoryShowLess', summary: 'Show less of a subject' },
    })
    .delete('', ({ ctx, body }) => removeRule(ctx, body), {
      permission: 'memory.update',
      body: MemoryShowLessDto,
      response: { 200: Rules },
      detail: { operationId: 'removeMemoryShowLess', summary: 'Show a subject again' },
    });
