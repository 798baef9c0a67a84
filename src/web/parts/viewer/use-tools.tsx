import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { copiedEdits } from '../edits/copied.ts';
import { useStore } from '../../base/store.ts';
import type { Rights } from '../grid/action-names.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { createTools } from './create-tools.ts';
import type { Tool } from './tool.ts';
import type { ShownAsset } from './use-shown-asset.ts';
import { type DialogName, ViewerDialog } from './viewer-dialogs.tsx';

type Options = {
  shown: ShownAsset;
  timeline: Timeline;
  may: Rights;
  /** The photo is not on this timeline any more. */
  leave: () => void;
  /** The server is making another picture of it. */
  onEdited: () => Promise<void>;
};

/** The tools for the shown photo, and the dialog of the one that is in use. */
export function useTools({ shown, timeline, may, leave, onEdited }: Options): {
  tools: readonly Tool[];
  dialog: ReactNode;
} {
  const { shownId: id, asset, isMine } = shown;
  const [path, navigate] = useLocation();
  const [dialogName, setDialogName] = useState<DialogName>();
  const hasCopiedEdits = useStore(copiedEdits, (copied) => copied !== undefined);
  const isFavorite = useFavorite(timeline, id) ?? asset?.isFavorite ?? false;
  const tools = createTools({
    id,
    asset,
    isMine,
    timeline,
    may,
    isFavorite,
    path,
    navigate,
    leaveAfter: (work) => void work.then((isDone) => isDone && leave()),
    open: setDialogName,
    onEdited,
    hasCopiedEdits,
  });
  const close = (isDone: boolean) => {
    setDialogName(undefined);
    if (isDone && dialogName === 'delete') leave();
  };
  const dialog = dialogName && asset && (
    <ViewerDialog name={dialogName} asset={asset} onClose={close} onEdited={onEdited} />
  );
  return { tools, dialog };
}

function useFavorite(timeline: Timeline, id: string): boolean | undefined {
  return useStore(timeline.state, ({ months }) => {
    for (const { columns } of months) {
      const item = columns?.id.indexOf(id) ?? -1;
      if (item >= 0) return columns?.isFavorite[item];
    }
    return undefined;
  });
}
