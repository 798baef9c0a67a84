import { expect, test } from 'bun:test';
import { createSpeedometer } from './speed.ts';

test('the speed is unknown until a second was measured', () => {
  const speed = createSpeedometer();
  expect(speed.get()).toBeUndefined();
  speed.add(0, 0);
  speed.add(500, 500);
  expect(speed.get()).toBeUndefined();
  speed.add(2000, 1000);
  expect(speed.get()).toBe(2000);
});

test('only the last ten seconds count', () => {
  const speed = createSpeedometer();
  speed.add(0, 0);
  for (let second = 1; second <= 30; second++) speed.add(1_000_000 + second * 10, second * 1000);
  expect(speed.get()).toBe(10);
});

test('another measurement begins when bytes are sent anew', () => {
  const speed = createSpeedometer();
  speed.add(0, 0);
  speed.add(5000, 2000);
  speed.add(100, 3000);
  expect(speed.get()).toBeUndefined();
  speed.add(300, 5000);
  expect(speed.get()).toBe(100);
});
