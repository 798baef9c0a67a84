import { call, type TestDatabase, type TestUser } from './harness.ts';
import type { App } from '../../src/app.ts';
import type { Notification } from '../../src/areas/notifications/schemas.ts';

/** Makes mail queue up; nothing is sent. */
export async function enableMail({ sql }: TestDatabase): Promise<void> {
  await sql`insert into system_config (section, value)
    values ('notifications', '{"smtp":{"enabled":true}}')`;
}

/** Returns the template and the recipient of each queued message. */
export const listMail = async ({ sql }: TestDatabase) =>
  (await sql`select template, user_id from mail_message order by created_at, key`).map(
    (row) => `${row['template']} ${row['user_id']}`,
  );

/** Returns the notifications of an account, newest first. */
export const listNotifications = async (app: App, as: TestUser): Promise<Notification[]> =>
  (await call(app, 'GET /notifications', { as })).body;

/** Switches kinds of notifications off or on. */
export async function setPreferences(
  app: App,
  as: TestUser,
  notifications: Readonly<Record<string, boolean>>,
): Promise<void> {
  await call(app, 'PUT /users/me/preferences', { as, body: { notifications } });
}
