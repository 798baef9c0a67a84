import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { DiskFullError } from '../core/disk-errors.ts';
import { silentLog } from '../core/log.ts';
import { ToolMissing } from '../media/errors.ts';
import { createOnError } from './errors.ts';

const send = (error: Error): Promise<Response> => {
  const app = new Elysia().onError(createOnError(silentLog)).get('/api/albums', () => {
    throw error;
  });
  return app.handle(new Request('http://localhost/api/albums'));
};
const answerTo = async (error: Error) => {
  const response = await send(error);
  return [response.status, await response.json()];
};
const answerWithRetry = async (error: Error) => {
  const response = await send(error);
  return [response.status, response.headers.get('retry-after'), await response.json()];
};

test('a full disk gives 507, met by a tool, a file or the database; other errors give 500', async () => {
  const full = [507, { message: 'The server has no space left' }];
  expect(await answerTo(new DiskFullError('ffmpeg: /srv/photos/derived/a.mp4'))).toEqual(full);
  const withCode = (code: string) => Object.assign(new Error('secret detail'), { code });
  expect(await answerTo(withCode('ENOSPC'))).toEqual(full);
  expect(await answerTo(new Error('query', { cause: withCode('53100') }))).toEqual(full);
  expect(await answerTo(new Error('a bug'))).toEqual([500, { message: 'Internal server error' }]);
});

test('a fault of the database server or of the system gives 503 with Retry-After, without details', async () => {
  const away = [503, '1', { message: 'The database cannot be reached' }];
  // https://www.postgresql.org/docs/15/errcodes-appendix.html
  for (const code of ['08006', '53200', '53400', '57P01', '58000', '58P01', 'XX000', 'XX002']) {
    const error = Object.assign(new Error('secret detail'), { code });
    expect(await answerWithRetry(new Error('query', { cause: error })), code).toEqual(away);
  }
  const fault = [503, '5', { message: 'The machine is at fault at the moment' }];
  for (const code of ['EIO', 'ESTALE', 'EROFS', 'EMFILE', 'ENOMEM']) {
    const error = Object.assign(new Error('secret detail'), { code });
    expect(await answerWithRetry(error), code).toEqual(fault);
  }
  expect(await answerWithRetry(new ToolMissing('ffmpeg'))).toEqual(fault);
  const syntax = Object.assign(new Error('secret detail'), { code: '42601' });
  expect(await answerTo(syntax)).toEqual([500, { message: 'Internal server error' }]);
});
