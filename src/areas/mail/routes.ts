import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { AdminConfigSmtpDto } from '../system-config/index.ts';
import { previewTemplate, sendTestMail } from './domain.ts';
import {
  MailSettingsDto,
  MailSettingsResponseDto,
  TemplateDto,
  TemplateParams,
  TemplateResponseDto,
  TestEmailResponseDto,
} from './schemas.ts';
import { getMailSettings, updateMailSettings } from './settings.domain.ts';

const administrator = { of: 'all', admin: true } as const;

export const mailRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/notifications', tags: ['Notifications'] })
    .use(guard)
    .post('/test-email', ({ ctx, body }) => sendTestMail(ctx, body), {
      permission: administrator,
      body: AdminConfigSmtpDto,
      response: { 200: TestEmailResponseDto },
      detail: { operationId: 'sendTestEmailAdmin', summary: 'Send a message to yourself' },
    })
    .post(
      '/templates/:name',
      ({ ctx, params, body }) => previewTemplate(ctx, params.name, body.template),
      {
        permission: administrator,
        params: TemplateParams,
        body: TemplateDto,
        response: { 200: TemplateResponseDto },
        detail: { operationId: 'getNotificationTemplateAdmin', summary: 'Preview a template' },
      },
    )
    .get('/mail', ({ ctx }) => getMailSettings(ctx), {
      permission: administrator,
      response: { 200: MailSettingsResponseDto },
      detail: { operationId: 'getMailSettings', summary: 'Get the mail settings' },
    })
    .put('/mail', ({ ctx, body }) => updateMailSettings(ctx, body), {
      permission: administrator,
      body: MailSettingsDto,
      response: { 200: MailSettingsResponseDto },
      detail: { operationId: 'updateMailSettings', summary: 'Change the mail settings' },
    });
