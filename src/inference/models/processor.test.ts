import { expect, test } from 'bun:test';
import { hasFastIntegers } from './processor.ts';

const x64 = (flags: string) => `processor\t: 0\nmodel name\t: A processor\nflags\t\t: ${flags}\n`;
const arm64 = (features: string) => `processor\t: 0\nFeatures\t: ${features}\n`;

test.each([
  ['x64', x64('fpu avx2 avx512f avx512_vnni avx512_bitalg'), true],
  ['x64', x64('fpu avx2 avx_vnni'), true],
  ['x64', x64('fpu avx2 avx512f avx512bw'), false],
  ['x64', x64('fpu avx2 avx512_vnni_other'), false],
  ['x64', arm64('fp asimd asimddp'), false],
  ['arm64', arm64('fp asimd asimddp asimdfhm'), true],
  ['arm64', arm64('fp asimd crc32'), false],
  ['x64', '', false],
] as const)(
  'tells by the flags whether a processor multiplies integers fast (%s, %j, %p)',
  (architecture, cpuinfo, isFast) => {
    expect(hasFastIntegers(cpuinfo, architecture)).toBe(isFast);
  },
);
