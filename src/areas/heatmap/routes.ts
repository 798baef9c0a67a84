import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { IdParams } from '../../http/schemas.ts';
import { getMyHeatmap, getUserHeatmap } from './domain.ts';
import { CalendarHeatmapResponseDto, HeatmapQuery } from './schemas.ts';

export const heatmapRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get(
      '/users/me/calendar-heatmap',
      async ({ ctx, query, request }) => jsonResponse(request, await getMyHeatmap(ctx, query)),
      {
        permission: 'user.read',
        query: HeatmapQuery,
        response: { 200: CalendarHeatmapResponseDto },
        detail: {
          operationId: 'getMyCalendarHeatmap',
          summary: "Count the caller's items by day",
          tags: ['Users'],
        },
      },
    )
    .get(
      '/admin/users/:id/calendar-heatmap',
      async ({ ctx, params, query, request }) =>
        jsonResponse(request, await getUserHeatmap(ctx, params.id, query)),
      {
        permission: { of: 'adminUser.read', admin: true },
        params: IdParams,
        query: HeatmapQuery,
        response: { 200: CalendarHeatmapResponseDto },
        detail: {
          operationId: 'getUserCalendarHeatmapAdmin',
          summary: 'Count the items of a user by day',
          tags: ['Users (admin)'],
        },
      },
    );
