import type { VideoSpeechRow } from '../../../db/tables/videos.ts';
import type { Speech } from '../schemas.ts';
import type { Enrichment } from '../store.ts';

/** Returns the wire form of a transcript. `model`: the installed one. */
export function toSpeech(
  enrichment: Enrichment | undefined,
  lines: readonly VideoSpeechRow[],
  model: string | undefined,
): Speech {
  const by = enrichment?.heardBy || enrichment?.hearingBy || lines[0]?.model;
  return {
    status: getStatus(enrichment, model),
    model: by ?? null,
    language: enrichment?.language ?? null,
    isOutdated: by !== undefined && model !== undefined && by !== model,
    lines: lines.map(({ startMs, endMs, text, language, confidence }) => ({
      startMs,
      endMs,
      text,
      language,
      confidence,
    })),
  };
}

function getStatus(
  enrichment: Enrichment | undefined,
  model: string | undefined,
): Speech['status'] {
  if (enrichment?.hearingBy) return 'processing';
  if (enrichment?.heardBy) return enrichment.speechError === null ? 'ready' : 'failed';
  return model === undefined ? 'unavailable' : 'pending';
}
