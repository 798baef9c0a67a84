import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';
import {
  acceptRequest,
  createRequest,
  deleteRequest,
  leaveGroup,
  listGroupRequests,
  listMembers,
  listOwnRequests,
  regeneratePeople,
} from './domain.ts';
import { ClusterGroupRequestCreateDto, ClusterGroupRequestResponseDto } from './schemas.ts';

export const clusterGroupRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/cluster-groups', tags: ['Cluster groups'] })
    .use(guard)
    .use(requestRoutes(guard))
    .get('/:id/users', ({ ctx, params }) => listMembers(ctx, params.id), {
      permission: 'clusterGroup.read',
      params: IdParams,
      response: { 200: t.Array(UserResponseDto) },
      detail: { operationId: 'getClusterGroupUsers', summary: 'List the members of a group' },
    })
    .get('/:id/requests', ({ ctx, params }) => listGroupRequests(ctx, params.id), {
      permission: 'clusterGroupRequest.read',
      params: IdParams,
      response: { 200: t.Array(ClusterGroupRequestResponseDto) },
      detail: {
        operationId: 'getClusterGroupRequestsForGroup',
        summary: 'List the invitations of a group',
      },
    })
    .put(
      '/:id/requests',
      async ({ ctx, params, body, status }) => {
        const { request, isNew } = await createRequest(ctx, params.id, body);
        return isNew ? status(201, request) : status(200, request);
      },
      {
        permission: 'clusterGroupRequest.create',
        params: IdParams,
        body: ClusterGroupRequestCreateDto,
        response: { 200: ClusterGroupRequestResponseDto, 201: ClusterGroupRequestResponseDto },
        detail: {
          operationId: 'createClusterGroupRequest',
          summary: 'Invite an account into the own group',
        },
      },
    )
    .post(
      '/:id/regenerate-people',
      async ({ ctx, params, status }) => {
        await regeneratePeople(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'clusterGroup.read',
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'clusterGroupRegeneratePeople',
          summary: 'Group the faces of all members anew',
        },
      },
    )
    .post(
      '/:id/leave',
      async ({ ctx, params, status }) => {
        await leaveGroup(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'clusterGroup.leave',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'leaveClusterGroup', summary: 'Leave a group, at once' },
      },
    );

const requestRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/requests' })
    .use(guard)
    .get('', ({ ctx }) => listOwnRequests(ctx), {
      permission: 'clusterGroupRequest.read',
      response: { 200: t.Array(ClusterGroupRequestResponseDto) },
      detail: {
        operationId: 'getClusterGroupRequests',
        summary: 'List the invitations to the own account',
      },
    })
    .post(
      '/:id/accept',
      async ({ ctx, params, status }) => {
        await acceptRequest(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'clusterGroupRequest.create',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'acceptClusterGroupRequest', summary: 'Accept an invitation' },
      },
    )
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteRequest(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'clusterGroupRequest.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteClusterGroupRequest',
          summary: 'Decline an invitation, or withdraw one of the own group',
        },
      },
    );
