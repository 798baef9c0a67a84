import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { getActivityStatistics, createActivity, deleteActivity, listActivities } from './domain.ts';
import {
  ActivityCreateDto,
  ActivityQuery,
  ActivityResponseDto,
  ActivityStatisticsQuery,
  ActivityStatisticsResponseDto,
} from './schemas.ts';

export const activityRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/activities', tags: ['Activities'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query, request }) => jsonResponse(request, await listActivities(ctx, query)),
      {
        permission: 'activity.read',
        cancelOnDisconnect: true,
        query: ActivityQuery,
        response: { 200: t.Array(ActivityResponseDto) },
        detail: { operationId: 'getActivities', summary: 'List likes and comments of an album' },
      },
    )
    .post(
      '',
      async ({ ctx, body, status }) => {
        const { activity, isNew } = await createActivity(ctx, body);
        return isNew ? status(201, activity) : status(200, activity);
      },
      {
        permission: 'activity.create',
        body: ActivityCreateDto,
        response: { 200: ActivityResponseDto, 201: ActivityResponseDto },
        detail: { operationId: 'createActivity', summary: 'Like or comment in an album' },
      },
    )
    .get('/statistics', ({ ctx, query }) => getActivityStatistics(ctx, query), {
      permission: 'activity.statistics',
      query: ActivityStatisticsQuery,
      response: { 200: ActivityStatisticsResponseDto },
      detail: { operationId: 'getActivityStatistics', summary: 'Count likes and comments' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteActivity(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'activity.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteActivity', summary: 'Delete a like or comment' },
      },
    );
