import { expect, test } from 'bun:test';
import { databaseUnavailable, StorageUnavailable } from '../core/errors.ts';
import { toProblemResponse } from '../areas/uploads/resumable/responses.ts';
import { diskFull, isDiskFull, isStorageFault, toSpaceError } from './errors.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: write`), { code });

test.each([
  ['a full disk', failed('ENOSPC'), 503, 507, true],
  ['a used up quota of the disk', failed('EDQUOT'), 503, 507, true],
  ['the reserve', diskFull(), 503, 507, true],
  ['a read-only disk', failed('EROFS'), 503, 503, false],
  ['storage that is away', new StorageUnavailable('/mnt'), 503, 503, false],
  ['a database that is away', databaseUnavailable(), 503, 503, false],
])('%s is told to clients: only a full disk is 507', (_, error, form, resumable, isFull) => {
  const answer = toProblemResponse(error as Error);
  expect([toSpaceError(error), answer]).toMatchObject([{ status: form }, { status: resumable }]);
  expect([isDiskFull(error), isStorageFault(error)]).toEqual([isFull, true]);
  expect(answer!.headers['retry-after'] === undefined).toBe(isFull);
});
