import { expect, test } from 'bun:test';
import { formatWebVtt } from './captions.domain.ts';

test('cues have times in hours and text in one line that is no markup', () => {
  const cues = [
    { startMs: 0, endMs: 2000, text: 'Good evening.' },
    { startMs: 3_725_004, endMs: 3_725_004, text: ' <b>Fish\n\n& chips</b> --> ' },
  ];
  expect(formatWebVtt(cues)).toBe(
    [
      'WEBVTT',
      '00:00:00.000 --> 00:00:02.000\nGood evening.',
      '01:02:05.004 --> 01:02:05.005\n&lt;b&gt;Fish &amp; chips&lt;/b&gt; --&gt;\n',
    ].join('\n\n'),
  );
  expect(formatWebVtt([])).toBe('WEBVTT\n');
});
