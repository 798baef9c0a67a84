import { expect, test } from 'bun:test';
import { memorySource, newMessage, readFields, toBytes } from './protobuf.ts';

test.each([
  [0, '08 00'],
  [127, '08 7f'],
  [300, '08 ac 02'],
  [2 ** 40 + 1, '08 81 80 80 80 80 20'],
  [-1, '08 ff ff ff ff ff ff ff ff ff 01'],
  [-129, '08 ff fe ff ff ff ff ff ff ff 01'],
])('%d is written as the varint %s', (value, bytes) => {
  expect(Buffer.from(toBytes(newMessage().int(1, value)))).toEqual(
    Buffer.from(bytes.replaceAll(' ', ''), 'hex'),
  );
});

test('encoded fields are those of the message', () => {
  const inner = newMessage().int(3, 300).text(4, 'name');
  const message = toBytes(newMessage().int(1, 5).encoded(inner.parts()).int(2, 6));
  const fields = [...readFields(memorySource(message))].map(({ field, value }) => [field, value]);
  expect(fields).toEqual([
    [1, 5],
    [3, 300],
    [4, 0],
    [2, 6],
  ]);
});
