import type { Pause } from './centroids.ts';
import { buildIndex, type BuiltIndex, deleteIndexes, getIndexFolder } from './index-build.ts';
import { type InvertedFile, openInvertedFile } from './inverted-file.ts';
import type { Kernel } from './kernel.ts';
import { listRuns, type Sidecar, type SidecarState } from './sidecar.ts';

type Slot = { readonly slot: number };
/** State of the sidecar after a sync: it has all changes before the watermark. */
type Synced = Pick<SidecarState, 'resets'> & { readonly watermark: bigint };

/** The inverted files of one model: the one in service, and the one that is built. */
export function openIndex(folder: string, sidecar: Sidecar, kernel: Kernel) {
  const { dimension } = sidecar.rows();
  const options = kernel.lists && { kernel, lists: kernel.lists, dimension };
  let current: { readonly generation: number; readonly file: InvertedFile } | undefined;
  let built: (BuiltIndex & { readonly since: Synced }) | undefined;
  let synced: Synced | undefined;

  function open(generation: number): InvertedFile | undefined {
    if (current?.generation === generation) return current.file;
    current?.file.close();
    current = undefined;
    if (generation === 0 || !options) return undefined;
    const file = openInvertedFile(getIndexFolder(folder, generation), options);
    current = { generation, file };
    return file;
  }

  function putAll(file: InvertedFile, rows: readonly Slot[]): void {
    for (const run of listRuns(rows)) {
      const from = run[0]?.slot ?? 0;
      file.put(sidecar.rows(), from, from + run.length);
    }
  }

  function discard(): void {
    built?.file.close();
    built?.release();
    built = undefined;
  }

  return {
    set synced(value: Synced) {
      synced = value;
    },
    find(): InvertedFile | undefined {
      try {
        return open(sidecar.generation());
      } catch {
        // Another process has just replaced it: all vectors are ranked until the next call.
        return undefined;
      }
    },
    /** Puts what was written into the file in service, or ends its service if it is gone. */
    put(state: SidecarState, rows: readonly Slot[]): void {
      try {
        const file = open(state.generation);
        if (file) putAll(file, rows);
      } catch {
        state.publish(0);
      }
    },
    /** Returns the watermark since which changes must be put into the file that was built. */
    findUnpublished(state: SidecarState): bigint | undefined {
      if (built && (state.watermark === undefined || state.resets !== built.since.resets))
        discard();
      return built?.since.watermark;
    },
    putUnpublished(rows: readonly Slot[]): void {
      if (built) putAll(built.file, rows);
    },
    publish(state: SidecarState): void {
      if (!built) return;
      const { generation, file, release } = built;
      file.complete();
      state.publish(generation);
      current?.file.close();
      current = { generation, file };
      built = undefined;
      deleteIndexes(folder, generation);
      release();
    },
    /** Builds a file that the next sync puts into service; false when another process does, or has. */
    async build(pause: Pause): Promise<boolean> {
      const since = synced;
      if (!options || !since || built) return false;
      const made = await buildIndex(folder, sidecar, options, pause);
      if (made) built = { ...made, since };
      return made !== undefined;
    },
  };
}
