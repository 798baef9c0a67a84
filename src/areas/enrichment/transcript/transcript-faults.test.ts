import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addFile, jobCtx } from '../../../../test/support/processing.ts';
import { createTranscriptTests } from '../../../../test/support/transcripts.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { closeInference } from '../../../inference/client.ts';
import { handlePickFrames } from '../frames/pick.handlers.ts';
import { listOwnProcesses } from '../../../../test/support/processes.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(300_000);

const library = createTranscriptTests();
const { addFilm, getLines, getSpeech, install, listJobs } = library;
const { run, transcribe, transcribeAll, watch } = library;

describe('a job', () => {
  test('that crashes loses one chunk: earlier lines stay, and none is repeated', async () => {
    await install('made');
    const id = await addFilm(library.me);
    await run(transcribe(id));
    const first = await getLines(id);
    expect(first.map(([, , text]) => text)).toEqual(['Good evening.', 'Café at ten.']);
    expect(await getSpeech(id)).toMatchObject({ status: 'processing', model: 'made' });
    // The next chunk is transcribed, and the process dies before the lines are stored.
    await transcribe(id);
    expect(await getLines(id)).toEqual(first);
    const again = [await transcribe(id), await transcribe(id)];
    for (const effect of again)
      await library.database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await getLines(id)).map(([, , text]) => text)).toEqual([
      'Good evening.',
      'Café at ten.',
      'HI',
    ]);
    expect(await getSpeech(id)).toMatchObject({ status: 'ready' });
  });

  test('on an undecodable file reports the error and is not retried', async () => {
    await install('made');
    const bytes = new TextEncoder().encode('no video at all');
    const id = await addFile(
      library.database,
      { name: 'broken.mp4', bytes },
      { ownerId: library.me.id },
    );
    await run(handlePickFrames(jobCtx(library.database), { assetId: id }));
    expect(await transcribeAll(id)).toBe(1);
    expect(await getSpeech(id)).toMatchObject({ status: 'failed', lines: [] });
    await watch();
    expect(await listJobs(id)).toEqual([]);
  });

  test('fails and is retried while the original is missing', async () => {
    await install('made');
    const id = await addFilm(library.me);
    const [row] = await library.database.sql`select sha256 from asset where id = ${id}`;
    await rm(originalPath(library.database.deps.paths, row!['sha256']));
    const failure = await transcribe(id).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).toContain('is not on the disk');
    expect(await getSpeech(id)).toMatchObject({ status: 'pending' });
  });

  test('skips a chunk that crashes inference every time', async () => {
    const place = await install('made');
    const tokenizer = join(place, 'tokenizer.json');
    const id = await addFilm(library.me);
    await closeInference();
    await rm(tokenizer);
    // Nobody writes into it: the child reads it for ever.
    Bun.spawnSync(['mkfifo', tokenizer]);
    const transcribing = transcribe(id);
    for (let life = 0; life < 2; life++) {
      const pid = await firstChild();
      // It has started: what ends it before says nothing about the chunk.
      const writer = await openWhenRead(tokenizer);
      process.kill(pid, 'SIGKILL');
      while (children().includes(pid)) await Bun.sleep(5);
      closeSync(writer);
    }
    await run(transcribing);
    expect(await getSpeech(id)).toMatchObject({ status: 'processing', lines: [] });
    await install('made');
    await transcribeAll(id);
    expect((await getLines(id)).map(([, , text]) => text)).toEqual(['HI']);
  });
});

/** Processes that run the models for this one. */
const children = (): number[] => listOwnProcesses('\0inference\0');

/** Opens a pipe for writing once somebody has opened it to read. */
async function openWhenRead(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await Bun.sleep(5);
  }
}

async function firstChild(): Promise<number> {
  for (;;) {
    const [pid] = children();
    if (pid !== undefined) return pid;
    await Bun.sleep(5);
  }
}
