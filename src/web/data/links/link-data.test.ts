import { expect, test } from 'bun:test';
import { ApiError, parseError } from '../../base/api.ts';
import { throwExplained } from './link-data.ts';

const explain = (error: unknown): unknown => {
  try {
    return throwExplained(error);
  } catch (thrown) {
    return thrown;
  }
};

test('a slug of another link is an error of its field, any other refusal stays as it is', () => {
  const taken = explain(parseError(400, '{"message":"Failed to save shared link"}'));
  expect(taken).toMatchObject({ status: 400, fields: { slug: 'Another link has this address.' } });
  for (const error of [new ApiError(400, 'Invalid albumId'), new Error('offline')]) {
    expect(explain(error)).toBe(error);
  }
});
