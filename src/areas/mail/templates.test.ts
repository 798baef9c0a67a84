import { expect, test } from 'bun:test';
import { LANGUAGES } from '../../core/languages.ts';
import { MAIL_TEMPLATES } from '../../db/tables/notifications.ts';
import { INVITATION_MESSAGES } from './invitation-messages.ts';
import { MESSAGES } from './messages.ts';
import {
  listUnknownPlaceholders,
  renderInvitation,
  renderMail,
  renderTestMail,
} from './templates.ts';

const VALUES = {
  albumId: 'id',
  albumName: 'Sea & <b>sun</b>',
  baseUrl: 'https://photos.example.com',
  recipientName: 'Jane',
  senderName: 'John',
};

test('a message is text and HTML, with a link into the page', () => {
  const { subject, text, html } = renderMail('album-invite', VALUES);
  expect(subject).toBe('You have been added to the album Sea & <b>sun</b>');
  expect(text).toContain('John has added you to the album “Sea & <b>sun</b>”.');
  expect(text).toContain('https://photos.example.com/albums/id');
  expect(html).toContain('href="https://photos.example.com/albums/id"');
});

test('values and the text of the administrator cannot add HTML', () => {
  const custom = 'Look: <img src=x onerror=alert(1)> {albumName}\nnext line\n\nnext paragraph';
  const { html, text } = renderMail('album-invite', VALUES, { custom });
  expect(html).not.toContain('<b>');
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;b&gt;sun&lt;/b&gt;<br>next line</p><p');
  expect(text).toStartWith('Look: <img src=x onerror=alert(1)> Sea & <b>sun</b>');
});

test('a value is not searched for placeholders', () => {
  const { text } = renderMail('album-invite', { ...VALUES, albumName: '{senderName}' });
  expect(text).toContain('“{senderName}”');
});

test('the HTML needs nothing from outside: a picture comes with the message', () => {
  const { html } = renderMail('album-update', VALUES, { cid: 'cover' });
  expect(html.match(/(?:src|url\()[^ >]*/g)).toEqual(['src="cid:cover"']);
  expect(html).not.toContain('<link');
  expect(html).not.toContain('<script');
});

test('without the address of the page there is no link', () => {
  const { html, text } = renderMail('album-update', { ...VALUES, baseUrl: '' });
  expect(html).not.toContain('href');
  expect(text).not.toContain('albums/');
});

test('a subject has one line', () => {
  const { subject } = renderMail('album-update', { ...VALUES, albumName: 'a\r\nBcc: x@y.z' });
  expect(subject).toBe('New pictures in the album a Bcc: x@y.z');
});

test('every language has texts of its own, with the placeholders of the English ones', () => {
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted();
  for (const language of LANGUAGES) {
    for (const template of [...MAIL_TEMPLATES, 'test'] as const) {
      const [ours, english] = [MESSAGES[language][template], MESSAGES.en[template]];
      for (const part of ['subject', 'body'] as const) {
        expect(names(ours[part])).toEqual(names(english[part]));
        // Subjects of workflows are their owner's.
        const isOwn = language === 'en' || ours[part] === '{subject}';
        if (!isOwn) expect(ours[part]).not.toBe(english[part]);
      }
    }
    const { html, text } = renderMail('album-invite', VALUES, { language });
    expect(html).toContain(`<html lang="${language}">`);
    expect(text).toContain(MESSAGES[language]['album-invite'].button);
    expect(html).not.toMatch(/[{}]/);
  }
  expect(renderTestMail('{displayName} <b>', 'de').text).toStartWith('Hallo {displayName} <b>,');
});

test('the text of the administrator is the same in every language', () => {
  const { text, html } = renderMail(
    'welcome',
    { baseUrl: '', displayName: 'Jane', username: 'j' },
    {
      language: 'ja',
      custom: 'Good day {displayName}',
    },
  );
  expect(text).toBe('Good day Jane');
  expect(html).toContain('>Good day Jane</p>');
});

test('placeholders of other templates are unknown', () => {
  expect(listUnknownPlaceholders('welcome', '{displayName} {albumName} {x}')).toEqual([
    'albumName',
    'x',
  ]);
  expect(listUnknownPlaceholders('album-invite', 'a { b } {albumName}')).toEqual([]);
});

test('an invitation names the administrator and the last day, and opens its page', () => {
  const values = {
    displayName: '<b>Jane</b>',
    senderName: '{url}',
    url: 'https://photos.example.com/invitation#secret',
    expiresAt: new Date('2026-03-09T12:00:00Z'),
  };
  const { subject, text, html } = renderInvitation(values, 'de');
  expect(subject).toBe('Deine Einladung zu Safelight');
  expect(text).toContain('{url} lädt dich ein');
  expect(text).toContain('bis 9. März 2026');
  expect(text).toEndWith('Einladung annehmen: https://photos.example.com/invitation#secret');
  expect(html).toContain('href="https://photos.example.com/invitation#secret"');
  expect(html).not.toContain('<b>');
});

test('every language has a text of its own for invitations, with all placeholders', () => {
  const bodies = LANGUAGES.map((language) => INVITATION_MESSAGES[language].body);
  expect(new Set(bodies).size).toBe(LANGUAGES.length);
  for (const body of bodies) {
    expect(body.match(/\{\w+\}/g)?.toSorted()).toEqual([
      '{displayName}',
      '{senderName}',
      '{until}',
    ]);
  }
});
