import { inTransaction } from '../../db/transaction.ts';
import { Elysia } from 'elysia';
import { announce } from '../../events/announce.ts';
import type { Guard } from '../../http/guard.ts';
import { NoContent } from '../../http/schemas.ts';
import { findInstance, setOnboarded } from './store.ts';
import {
  AdminOnboardingUpdateDto,
  ReverseGeocodingStateResponseDto,
  VersionCheckStateResponseDto,
} from './schemas.ts';

export const systemRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/system-metadata', tags: ['System'] })
    .use(guard)
    .get(
      '/admin-onboarding',
      async ({ ctx }) => ({ isOnboarded: (await findInstance(ctx.db)).onboarded }),
      {
        permission: { of: 'systemMetadata.read', admin: true },
        response: { 200: AdminOnboardingUpdateDto },
        detail: { operationId: 'getAdminOnboarding', summary: 'Is the server set up?' },
      },
    )
    .post(
      '/admin-onboarding',
      async ({ ctx, body, status }) => {
        await inTransaction(ctx, async ({ db }) => {
          await setOnboarded(db, body.isOnboarded);
          await announce(db, { event: 'config' });
        });
        return status(204, undefined);
      },
      {
        permission: { of: 'systemMetadata.update', admin: true },
        body: AdminOnboardingUpdateDto,
        response: { 204: NoContent },
        detail: { operationId: 'updateAdminOnboarding', summary: 'Note that the server is set up' },
      },
    )
    // Places are part of the program: nothing is ever imported.
    .get('/reverse-geocoding-state', () => ({ lastImportFileName: null, lastUpdate: null }), {
      permission: { of: 'systemMetadata.read', admin: true },
      response: { 200: ReverseGeocodingStateResponseDto },
      detail: { operationId: 'getReverseGeocodingState', summary: 'When places were imported' },
    })
    .get('/version-check-state', () => NEVER_CHECKED, {
      permission: { of: 'systemMetadata.read', admin: true },
      response: { 200: VersionCheckStateResponseDto },
      detail: { operationId: 'getVersionCheckState', summary: 'The last look for a new version' },
    });

/** The server calls nobody, so it never looks for a newer version of itself. */
export const NEVER_CHECKED = { checkedAt: null, releaseVersion: null };
