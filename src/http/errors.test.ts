import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { DiskFullError } from '../core/disk-errors.ts';
import { silentLog } from '../core/log.ts';
import { createOnError } from './errors.ts';

const answerTo = async (error: Error) => {
  const app = new Elysia().onError(createOnError(silentLog)).get('/api/albums', () => {
    throw error;
  });
  const response = await app.handle(new Request('http://localhost/api/albums'));
  return [response.status, await response.json()];
};

test('a full disk gives 507, met by a tool, a file or the database; other errors give 500', async () => {
  const full = [507, { message: 'The server has no space left' }];
  expect(await answerTo(new DiskFullError('ffmpeg: /srv/photos/derived/a.mp4'))).toEqual(full);
  const withCode = (code: string) => Object.assign(new Error('secret detail'), { code });
  expect(await answerTo(withCode('ENOSPC'))).toEqual(full);
  expect(await answerTo(new Error('query', { cause: withCode('53100') }))).toEqual(full);
  expect(await answerTo(withCode('EIO'))).toEqual([500, { message: 'Internal server error' }]);
});
