import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { fileResponse } from '../../http/files.ts';
import { Binary, IdParams, NoContent, multipartForm } from '../../http/schemas.ts';
import { getMe, getUser, isOnboarded, listUsers, setOnboarded, updateMe } from './domain.ts';
import { listPreferenceChanges } from './history.domain.ts';
import { UserPreferenceHistoryResponseDto } from './history.schemas.ts';
import { readOwnPreferences, updateOwnPreferences } from './preferences.domain.ts';
import { UserPreferencesResponseDto } from './preferences.schemas.ts';
import { UserPreferencesUpdateDto } from './preferences-update.schemas.ts';
import { deleteProfileImage, getProfileImage, saveProfileImage } from './profile.domain.ts';
import {
  CreateProfileImageDto,
  CreateProfileImageResponseDto,
  OnboardingDto,
  OnboardingResponseDto,
  UserAdminResponseDto,
  UserResponseDto,
  UserUpdateMeDto,
} from './schemas.ts';

export const userRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/users', tags: ['Users'] })
    .use(guard)
    .get('', ({ ctx }) => listUsers(ctx), {
      permission: 'user.read',
      response: { 200: t.Array(UserResponseDto) },
      detail: { operationId: 'searchUsers', summary: 'List the active accounts' },
    })
    .get('/me', ({ ctx }) => getMe(ctx), {
      permission: 'user.read',
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'getMyUser', summary: "Get the caller's account" },
    })
    .put('/me', ({ ctx, body }) => updateMe(ctx, body), {
      permission: 'user.update',
      body: UserUpdateMeDto,
      response: { 200: UserAdminResponseDto },
      detail: {
        operationId: 'updateMyUser',
        summary: "Change the caller's account",
        deprecated: true,
      },
    })
    .get('/me/preferences', ({ ctx }) => readOwnPreferences(ctx), {
      permission: 'userPreference.read',
      response: { 200: UserPreferencesResponseDto },
      detail: { operationId: 'getMyPreferences', summary: "Get the caller's preferences" },
    })
    .put('/me/preferences', ({ ctx, body }) => updateOwnPreferences(ctx, body), {
      permission: 'userPreference.update',
      body: UserPreferencesUpdateDto,
      response: { 200: UserPreferencesResponseDto },
      detail: {
        operationId: 'updateMyPreferences',
        summary: "Change some of the caller's preferences",
        deprecated: true,
      },
    })
    .get('/me/preferences/history', ({ ctx }) => listPreferenceChanges(ctx), {
      permission: 'userPreference.read',
      response: { 200: UserPreferenceHistoryResponseDto },
      detail: {
        operationId: 'getMyPreferenceHistory',
        summary: "List the changes of the caller's preferences, newest first",
      },
    })
    .get('/me/onboarding', async ({ ctx }) => ({ isOnboarded: await isOnboarded(ctx) }), {
      permission: 'userOnboarding.read',
      response: { 200: OnboardingResponseDto },
      detail: {
        operationId: 'getUserOnboarding',
        summary: 'Has the caller seen the introduction?',
      },
    })
    .put(
      '/me/onboarding',
      async ({ ctx, body }) => {
        await setOnboarded(ctx, body.isOnboarded);
        return body;
      },
      {
        permission: 'userOnboarding.update',
        body: OnboardingDto,
        response: { 200: OnboardingResponseDto },
        detail: {
          operationId: 'setUserOnboarding',
          summary: 'Note that the introduction was seen',
        },
      },
    )
    .delete(
      '/me/onboarding',
      async ({ ctx, status }) => {
        await setOnboarded(ctx, false);
        return status(204, undefined);
      },
      {
        permission: 'userOnboarding.delete',
        response: { 204: NoContent },
        detail: { operationId: 'deleteUserOnboarding', summary: 'Show the introduction again' },
      },
    )
    .use(profileRoutes(guard))
    .get('/:id', ({ ctx, params }) => getUser(ctx, params.id), {
      permission: 'user.read',
      params: IdParams,
      response: { 200: UserResponseDto },
      detail: { operationId: 'getUser', summary: 'Get one active account' },
    });

const profileRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/profile-image',
      async ({ ctx, request, status }) => {
        const contentType = request.headers.get('content-type');
        return status(201, await saveProfileImage(ctx, { contentType, body: request.body }));
      },
      {
        permission: 'userProfileImage.update',
        parse: 'none',
        response: { 201: CreateProfileImageResponseDto },
        detail: {
          operationId: 'createProfileImage',
          summary: "Set the picture of the caller's account",
          ...multipartForm(CreateProfileImageDto),
        } as object,
      },
    )
    .delete(
      '/profile-image',
      async ({ ctx, status }) => {
        await deleteProfileImage(ctx);
        return status(204, undefined);
      },
      {
        permission: 'userProfileImage.delete',
        response: { 204: NoContent },
        detail: { operationId: 'deleteProfileImage', summary: 'Remove the own picture' },
      },
    )
    .get(
      '/:id/profile-image',
      async ({ ctx, params, request }) =>
        fileResponse(request, await getProfileImage(ctx, params.id)),
      {
        permission: 'userProfileImage.read',
        params: IdParams,
        response: { 200: Binary },
        detail: { operationId: 'getProfileImage', summary: 'Get the picture of an account' },
      },
    );
