import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { openInference } from '../../src/inference/client.ts';
import { MODELS, withModels } from '../support/models.ts';
import {
  countCharacterErrors,
  simulatePhonePhoto,
  PAGES,
  renderPage,
} from '../support/document-pages.ts';

/**
 * Accuracy and speed of OCR: the character error rate of rendered papers, as a scan and as
 * a bad photo, and the seconds that a photo takes.
 *   bun test/bench/ocr.bench.ts
 */
if (!MODELS) {
  console.log(JSON.stringify({ skipped: 'the models are not installed and cannot be fetched' }));
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'safelight-ocr-'));
// Nothing but derived files is read by the models.
const derived = join(folder, 'derived');
mkdirSync(derived);
const inference = openInference({ settings: withModels(folder), log: silentLog });

async function read(path: string) {
  const started = performance.now();
  const lines = await inference.readText({ path });
  return { lines, seconds: round((performance.now() - started) / 1000, 2) };
}
const round = (value: number, digits: number) => Number(value.toFixed(digits));
const percent = ({ errors, of }: { errors: number; of: number }) => round((100 * errors) / of, 1);

const sums = { clean: { errors: 0, of: 0 }, distorted: { errors: 0, of: 0 } };
const papers = [];
// The first call loads the models: it is not counted.
for (const [index, page] of [PAGES[0]!, ...PAGES].entries()) {
  const clean = await renderPage(page);
  const row: Record<string, unknown> = { name: page.name };
  for (const [kind, bytes] of [
    ['clean', clean],
    ['distorted', await simulatePhonePhoto(clean)],
  ] as const) {
    const path = join(derived, `${index}-${kind}.jpg`);
    writeFileSync(path, bytes);
    const { lines, seconds } = await read(path);
    const found = countCharacterErrors(page.lines.join(''), lines.map(({ text }) => text).join(''));
    row[kind] = { errorPercent: percent(found), seconds };
    if (index === 0) continue;
    sums[kind].errors += found.errors;
    sums[kind].of += found.of;
  }
  if (index > 0) papers.push(row);
}

const photos = [];
const media = process.env['SAFELIGHT_TEST_MEDIA'];
if (media) {
  for (const name of readdirSync(join(media, 'text')).sort()) {
    const path = join(derived, name);
    copyFileSync(join(media, 'text', name), path);
    const { lines, seconds } = await read(path);
    photos.push({ name, lines: lines.length, seconds });
  }
}
console.log(
  JSON.stringify(
    {
      characterErrorPercent: { clean: percent(sums.clean), distorted: percent(sums.distorted) },
      papers,
      photos,
      childMegabytes: Math.round(inference.memory() / 1024 ** 2),
    },
    undefined,
    2,
  ),
);
await inference.close();
rmSync(folder, { recursive: true, force: true });
