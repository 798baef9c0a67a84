import { importFromImmich, type ImportReport } from '../imports/index.ts';
import { createMoveInClient } from './client.ts';
import { listNamedFaces } from './faces.ts';
import type { ServerMoveIn } from './kind.ts';
import { createPatience } from './patience.ts';
import type { Run } from './progress.ts';

/** After these, the wait for a server that is away begins. */
export const timing = { attempts: 3, pauseMs: 1000 };
/** Takes in an account of another server. Waits while that is away. */
export function takeInAccount(
  ctx: Parameters<typeof importFromImmich>[0],
  { payload, accountId }: ServerMoveIn,
  { key, signal, progress }: Run & { readonly key: string },
): Promise<ImportReport> {
  const patience = createPatience(signal);
  const client = createMoveInClient({
    address: payload.url,
    key,
    signal,
    timing,
    settings: ctx.settings,
    isAdmin: ctx.session.kind === 'user' && ctx.session.isAdmin,
    onAnswer() {
      patience.end();
      progress.set({ isAway: false, awaySince: null });
    },
    whenAway(fault) {
      const waiting = patience.whenAway(fault);
      progress.set({ isAway: true });
      return waiting;
    },
  });
  return importFromImmich(
    ctx,
    { ownerId: accountId, client },
    {},
    {
      onProgress(assets, _total, report) {
        progress.set({ assets });
        progress.setReport(report);
      },
      onCollection(kind, done, report) {
        progress.set({ [kind]: done });
        progress.setReport(report);
      },
      onItem: (assetId, asset) => progress.addFaces(listNamedFaces(assetId, asset)),
      onRefused: (refusal) => progress.addFailure(refusal),
      onNoted: (note) => progress.addNote(note),
    },
  );
}
