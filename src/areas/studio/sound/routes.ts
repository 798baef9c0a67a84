import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { Binary, ErrorResponseDto, NoContent } from '../../../http/schemas.ts';
import { RevisionParams } from '../projects/schemas.ts';
import { playSound } from './play.domain.ts';
import { SoundQuery } from './schemas.ts';

export const studioSoundRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio/projects', tags: ['Studio previews'] }).use(guard).get(
    '/:id/revisions/:revision/sound',
    async ({ ctx, params, query, request, status }) => {
      const { numerator, denominator, format } = query;
      const sound = await playSound(ctx, {
        projectId: params.id,
        revision: params.revision,
        time: { numerator, denominator },
        format,
        signal: request.signal,
      });
      if (!sound) return status(204, undefined);
      return new Response(sound, {
        headers: { 'content-type': `audio/${format}`, 'cache-control': 'private, no-store' },
      });
    },
    {
      permission: 'all',
      params: RevisionParams,
      query: SoundQuery,
      response: {
        200: Binary,
        204: NoContent,
        404: ErrorResponseDto,
        409: ErrorResponseDto,
        429: ErrorResponseDto,
      },
      detail: {
        operationId: 'playStudioSound',
        summary: 'Play the sound of a project from a time on',
      },
    },
  );
