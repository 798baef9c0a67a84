import { textSink } from '../../src/areas/documents/sink.ts';
import type { TextLine } from '../../src/inference/index.ts';
import type { TestDatabase } from './harness.ts';

/** A line of text, `row` lines from the top, as a model reads it. */
export function createTextLine(text: string, row: number, over: Partial<TextLine> = {}): TextLine {
  const [top, bottom] = [row * 0.05, row * 0.05 + 0.04];
  return {
    text,
    quad: [
      { x: 0.1, y: top },
      { x: 0.9, y: top },
      { x: 0.9, y: bottom },
      { x: 0.1, y: bottom },
    ],
    boxScore: 0.9,
    score: 0.95,
    ...over,
  };
}

/** Keeps the lines as the job does that lets a model read the picture. */
export async function saveRecognizedText(
  { db }: Pick<TestDatabase, 'db'>,
  { assetId, ownerId }: { readonly assetId: string; readonly ownerId: string },
  lines: readonly (string | TextLine)[],
  modelId = 'ocr-test-1',
): Promise<void> {
  const read = lines.map((line, row) =>
    typeof line === 'string' ? createTextLine(line, row) : line,
  );
  const asset = {
    assetId,
    ownerId,
    type: 'IMAGE',
    picture: { width: 1440, height: 1920 },
  } as const;
  await db.transaction(async (tx) => {
    await textSink.store(tx, asset, read, { modelId, dimension: 0 });
  });
}
