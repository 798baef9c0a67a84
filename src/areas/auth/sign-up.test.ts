import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { PASSWORD } from '../../../test/support/accounts.ts';
import { call, seed, testApp, testDatabase } from '../../../test/support/harness.ts';
import { users } from '../../db/tables/identity.ts';

const { app } = await useApp();

describe('sign-up', () => {
  test('of ten concurrent sign-ups one creates the administrator', async () => {
    await using fresh = await testDatabase();
    const freshApp = testApp(fresh);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call(freshApp, 'POST /auth/admin-sign-up', {
          body: { email: `Admin${n}@NAS`, name: 'Ada', password: PASSWORD },
        }),
      ),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9);
    expect(made[0]!.body).toMatchObject({
      isAdmin: true,
      name: 'Ada',
      status: 'active',
      shouldChangePassword: true,
    });
    // E-mail addresses are compared without regard to case.
    expect(made[0]!.body.email).toMatch(/^admin\d@nas$/);
    expect(JSON.stringify(made[0]!.body)).not.toContain('argon2');
    expect(await fresh.db.$count(users)).toBe(1);
  });

  test('stays closed while any administrator exists, also after the first is gone', async () => {
    await using fresh = await testDatabase();
    await seed(fresh).user(['all'], { isAdmin: true });
    await fresh.sql`update instance set admin_id = null`;
    const body = { email: 'late@nas', name: 'Late', password: PASSWORD };
    const reply = await call(testApp(fresh), 'POST /auth/admin-sign-up', { body });
    expect(reply).toMatchObject({
      status: 400,
      body: { message: 'The server already has an admin' },
    });
  });

  const wrong: [string, object][] = [
    ['no e-mail', { name: 'x', password: PASSWORD }],
    ['an e-mail that is none', { email: 'x', name: 'x', password: PASSWORD }],
    ['a short password', { email: 'a@b', name: 'x', password: '1234567' }],
    ['an empty name', { email: 'a@b', name: '', password: PASSWORD }],
    ['an endless password', { email: 'a@b', name: 'x', password: 'x'.repeat(5000) }],
  ];
  for (const [name, body] of wrong) {
    test(`${name} → 400`, async () => {
      expect(await call(app, 'POST /auth/admin-sign-up', { body })).toMatchObject({ status: 400 });
    });
  }
});
