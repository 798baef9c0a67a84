import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { MemoriesQuery, MemoryResponseDto } from './schemas.ts';

/** Nothing makes memories yet: whoever asks for them has none. */
export const memoryRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/memories', tags: ['Memories'] }).use(guard).get('', () => [], {
    permission: 'memory.read',
    query: MemoriesQuery,
    response: { 200: t.Array(MemoryResponseDto) },
    detail: { operationId: 'searchMemories', summary: "List the caller's memories" },
  });
