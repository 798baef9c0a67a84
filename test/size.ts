// Writes test/size.tsv, how large the product and its tests may be, from what they are now: `make size`.
import { join } from 'node:path';
import { compareSizes, formatSizes, measureSizes, parseSizes } from './support/sizes.ts';

const file = Bun.file(join(import.meta.dir, 'size.tsv'));
const before = (await file.exists()) ? parseSizes(await file.text()) : new Map();
const found = measureSizes();
for (const fault of compareSizes(before, found)) console.log(fault);
await Bun.write(file, formatSizes(found));
