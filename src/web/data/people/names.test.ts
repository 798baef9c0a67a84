import { expect, test } from 'bun:test';
import { listMessages, readSources } from '../../../../native/messages.ts';

const WORDS = /unnamed|nameless|without a name|who is (?:it|this)/i;

test('the page has one name for somebody without one, and one question for it', () => {
  expect(listMessages().filter((message) => WORDS.test(message))).toEqual([
    'Unnamed person',
    'Who is this?',
  ]);
  const users = [...readSources()].filter(([, source]) =>
    /t\(\s*'(?:Unnamed person|Who is this\?)'/.test(source),
  );
  expect(users.map(([path]) => path)).toEqual([expect.stringContaining('people/people-data.ts')]);
});
