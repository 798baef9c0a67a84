import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto } from '../../http/schemas.ts';
import { pickLanguage } from '../../core/languages.ts';
import { listPins, replacePins } from './domain.ts';
import { PinnedCollectionsResponseDto, PinnedCollectionsUpdateDto } from './schemas.ts';

/** Returns the language of the titles of memories. */
const getLanguage = ({ headers }: Request) => pickLanguage(headers.get('accept-language'));

export const pinRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/users/me/pins', tags: ['Users'] })
    .use(guard)
    .get('', ({ ctx, request }) => listPins(ctx, getLanguage(request)), {
      permission: { of: 'userPreference.read', session: true },
      response: { 200: PinnedCollectionsResponseDto },
      detail: { operationId: 'getPins', summary: "List the caller's pins in order" },
    })
    .put('', ({ ctx, body, request }) => replacePins(ctx, body, getLanguage(request)), {
      permission: { of: 'userPreference.update', session: true },
      body: PinnedCollectionsUpdateDto,
      response: { 200: PinnedCollectionsResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'savePins', summary: 'Replace the list of pins' },
    });
