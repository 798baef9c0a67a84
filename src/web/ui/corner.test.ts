import { expect, test } from 'bun:test';
import { findBottom } from './corner.ts';

// A window of 1000 by 800 px; 8 px are kept between two.

const toast = { left: 300, right: 700, height: 50 };
const box = (left: number, right: number, top: number, bottom: number) => ({
  left,
  right,
  top,
  bottom,
});
const find = (...boxes: ReturnType<typeof box>[]) => findBottom(toast, 20, boxes, 800);

test('a surface stays at the edge when nothing is in its way', () => {
  expect(find()).toBe(20);
  expect(find(box(0, 300, 700, 790), box(700, 990, 100, 790))).toBe(20);
  expect(find(box(0, 1000, 0, 600))).toBe(20);
});

test('a surface moves above those that it would cover, one after the other', () => {
  expect(find(box(250, 750, 730, 780))).toBe(78);
  expect(find(box(600, 990, 500, 710), box(250, 750, 730, 780))).toBe(308);
});

test('a surface is put between two where there is room', () => {
  expect(find(box(250, 750, 730, 780), box(250, 750, 100, 600))).toBe(78);
});

test('a surface that does not fit above the others stays at the edge', () => {
  expect(find(box(0, 1000, 30, 790))).toBe(20);
});

test('what is not shown is in nobody’s way', () => {
  expect(find(box(0, 1000, 0, 0))).toBe(20);
});
