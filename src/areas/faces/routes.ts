import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { PersonResponseDto } from '../people/index.ts';
import {
  correctFace,
  createFace,
  deleteFace,
  getFaceSource,
  listFaces,
  reassignFace,
} from './domain.ts';
import {
  AssetFaceCorrectionDto,
  AssetFaceCreateDto,
  AssetFaceDeleteDto,
  AssetFaceResponseDto,
  AssetFaceSourceResponseDto,
  FaceDto,
  FacesQuery,
  FaceSourceQuery,
} from './schemas.ts';

export const faceRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/faces', tags: ['Faces'] })
    .use(guard)
    .get('', ({ ctx, query }) => listFaces(ctx, query.id, query.withHidden === true), {
      permission: 'face.read',
      query: FacesQuery,
      response: { 200: t.Array(AssetFaceResponseDto) },
      detail: { operationId: 'getFaces', summary: 'List the faces of an asset' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createFace(ctx, body)), {
      permission: 'face.create',
      body: AssetFaceCreateDto,
      response: { 201: AssetFaceResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'createFace', summary: 'Add a face' },
    })
    .get('/source', ({ ctx, query }) => getFaceSource(ctx, query.id), {
      permission: 'face.read',
      query: FaceSourceQuery,
      response: { 200: AssetFaceSourceResponseDto },
      detail: { operationId: 'getFaceSource', summary: 'Get the size and revision of the picture' },
    })
    .put('/:id', ({ ctx, params, body }) => reassignFace(ctx, params.id, body.id), {
      permission: 'face.update',
      params: IdParams,
      body: FaceDto,
      response: { 200: PersonResponseDto },
      detail: { operationId: 'reassignFacesById', summary: 'Assign a face to a person' },
    })
    .patch('/:id', ({ ctx, params, body }) => correctFace(ctx, params.id, body), {
      permission: 'face.update',
      params: IdParams,
      body: AssetFaceCorrectionDto,
      response: { 200: AssetFaceResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'correctFace', summary: 'Move, hide or reassign a face' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, body, status }) => {
        await deleteFace(ctx, params.id, body.force);
        return status(204, undefined);
      },
      {
        permission: 'face.delete',
        params: IdParams,
        body: AssetFaceDeleteDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteFace', summary: 'Hide a face, or delete it for good' },
      },
    );
