import { expect, test } from 'bun:test';
import { toMailSettings, withoutStyles } from './mail-data.ts';

test('the fields of the form become settings; boxes that are not checked are off', () => {
  const settings = toMailSettings({
    'smtp.enabled': 'on',
    'smtp.transport.host': ' smtp.example.com ',
    'smtp.transport.port': '465',
    'smtp.transport.password': ' with spaces ',
    'templates.welcomeTemplate': 'Hello',
  });
  expect(settings).toMatchObject({
    externalDomain: '',
    smtp: {
      enabled: true,
      from: '',
      transport: {
        host: 'smtp.example.com',
        port: 465,
        secure: false,
        ignoreCert: false,
        password: ' with spaces ',
      },
    },
    templates: { welcomeTemplate: 'Hello', albumInviteTemplate: '' },
  });
});

test('a preview keeps its text and loses its inline styles', () => {
  expect(withoutStyles('<p style="color:red">style=&quot;x&quot;</p>')).toBe(
    '<p>style=&quot;x&quot;</p>',
  );
});
