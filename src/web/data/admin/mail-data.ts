import { queryOptions } from '@tanstack/react-query';
import { get, post, put } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { MailSettings, MailSettingsResponse } from '../types.ts';

export type MailTemplateName = 'welcome' | 'album-invite' | 'album-update';

/** Without the password, which the server never tells. */
export const mailSettingsQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'mail'],
    queryFn: () => get<MailSettingsResponse>('/admin/notifications/mail'),
    // A form that somebody fills in.
    refetchOnWindowFocus: false,
  });

export const saveMailSettings = (settings: MailSettings): Promise<MailSettingsResponse> =>
  mutate(() => put('/admin/notifications/mail', settings), { invalidates: [keys.server] });

export const sendTestMail = (smtp: MailSettings['smtp']): Promise<{ messageId: string }> =>
  post('/admin/notifications/test-email', smtp);

export const previewTemplate = (
  name: MailTemplateName,
  template: string,
): Promise<{ name: string; html: string }> =>
  post(`/admin/notifications/templates/${name}`, { template });

/**
 * Returns the HTML of a preview without inline styles, which the content security policy of the page
 * refuses. Texts in it are escaped: they cannot look like an attribute.
 */
export const withoutStyles = (html: string): string => html.replaceAll(/ style="[^"]*"/g, '');

/** The values of a form whose fields are named by their path in the settings. */
export function toMailSettings(values: Readonly<Record<string, string>>): MailSettings {
  const text = (name: string): string => values[name]?.trim() ?? '';
  const isOn = (name: string): boolean => values[name] === 'on';
  return {
    externalDomain: text('externalDomain'),
    smtp: {
      enabled: isOn('smtp.enabled'),
      from: text('smtp.from'),
      replyTo: text('smtp.replyTo'),
      transport: {
        host: text('smtp.transport.host'),
        port: Number(text('smtp.transport.port')),
        secure: isOn('smtp.transport.secure'),
        ignoreCert: isOn('smtp.transport.ignoreCert'),
        username: text('smtp.transport.username'),
        // Spaces may belong to it.
        password: values['smtp.transport.password'] ?? '',
      },
    },
    templates: {
      albumInviteTemplate: text('templates.albumInviteTemplate'),
      albumUpdateTemplate: text('templates.albumUpdateTemplate'),
      welcomeTemplate: text('templates.welcomeTemplate'),
    },
  };
}
