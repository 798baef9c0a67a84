import { expect, test } from 'bun:test';
import { fit } from './flight.ts';

const STAGE = { left: 0, top: 100, width: 1000, height: 500 };

test('a picture lies in the middle of its box, as large as it fits', () => {
  expect(fit(STAGE, 4)).toEqual({ left: 0, top: 225, width: 1000, height: 250 });
  expect(fit(STAGE, 0.5)).toEqual({ left: 375, top: 100, width: 250, height: 500 });
  expect(fit(STAGE, 2)).toEqual(STAGE);
});
