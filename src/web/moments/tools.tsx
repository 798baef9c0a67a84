import {
  BookmarkPlus,
  GalleryHorizontalEnd,
  ImageUp,
  MessageSquareText,
  Pencil,
  RefreshCw,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { attempt, showToast, showUndo } from '../toast.tsx';
import type { Asset } from '../types.ts';
import { Menu, type MenuEntry } from '../ui/menu.tsx';
import { IconButton } from '../ui/parts.tsx';
import { clockOf, type Entry } from './entries.ts';
import { MomentDialog } from './moment-dialog.tsx';
import {
  addMoment,
  changeMoment,
  deleteMoment,
  type Moment,
  type Moments,
  putCover,
  refreshMoments,
} from './moment-data.ts';
import { SimilarDialog } from './similar-dialog.tsx';
import { SpeechDialog } from './speech-dialog.tsx';
import type { Player } from './use-player.ts';
import styles from './moments.module.css';

type Options = {
  asset: Asset;
  data: Moments | undefined;
  isMine: boolean;
  current: Entry | undefined;
  player: Player;
  setData: (data: Moments) => void;
  reload: () => Promise<void>;
  onCover: () => void;
};

type Asked =
  | { kind: 'add'; timeMs: number }
  | { kind: 'rename'; moment: Moment }
  | { kind: 'similar'; frameId: string }
  | { kind: 'speech' };

/** What can be done with a film at the time that is shown. */
export function useMomentTools(options: Options): { tools: ReactNode; dialog: ReactNode } {
  const { asset, data, isMine, current, player, setData, reload, onCover } = options;
  const [asked, ask] = useState<Asked>();
  const now = clockOf(player.timeMs);
  const manual = current?.manual;

  const remove = async (moment: Moment) => {
    const { startMs, endMs, title, transcript } = moment;
    const isDone = await attempt(async () => {
      await deleteMoment(moment);
      await reload();
    });
    if (!isDone) return;
    showUndo('Moment removed', () =>
      attempt(async () => {
        await addMoment(asset.id, { startMs, endMs, title, transcript });
        await reload();
      }),
    );
  };
  const cover = async (timeMs: number | null) => {
    const before = data?.cover.timeMs ?? null;
    const put = (to: number | null) =>
      attempt(async () => {
        setData(await putCover(asset.id, to));
        onCover();
      });
    if (!(await put(timeMs))) return;
    const text = timeMs === null ? 'The best picture is the cover' : `The cover is from ${now}`;
    showUndo(text, () => put(before));
  };
  const refresh = () =>
    attempt(async () => {
      await refreshMoments(asset.id);
      await reload();
    });
  const more: MenuEntry[] = [
    ...((data?.cover.timeMs ?? null) === null
      ? []
      : [{ icon: ImageUp, label: 'Choose the cover by itself', run: () => void cover(null) }]),
    { icon: RefreshCw, label: 'Look at the film again', run: () => void refresh() },
  ];
  const tools = (
    <div className={styles.momentsTools}>
      {data && data.speech.lines.length > 0 && (
        <IconButton
          icon={MessageSquareText}
          className="small"
          label="What is said"
          onClick={() => ask({ kind: 'speech' })}
        />
      )}
      {current?.frameId && (
        <IconButton
          icon={GalleryHorizontalEnd}
          className="small"
          label="Similar scenes in videos"
          onClick={() => ask({ kind: 'similar', frameId: current.frameId! })}
        />
      )}
      {isMine && manual && (
        <>
          <IconButton
            icon={Pencil}
            className="small"
            label="Rename this moment"
            onClick={() => ask({ kind: 'rename', moment: manual })}
          />
          <IconButton
            icon={Trash2}
            className="small"
            label="Remove this moment"
            onClick={() => void remove(manual)}
          />
        </>
      )}
      {isMine && (
        <>
          <IconButton
            icon={ImageUp}
            className="small"
            label={`Use the picture at ${now} as the cover`}
            onClick={() => void cover(player.timeMs)}
          />
          <IconButton
            icon={BookmarkPlus}
            className="small"
            label={`Mark a moment at ${now}`}
            onClick={() => ask({ kind: 'add', timeMs: player.timeMs })}
          />
          <Menu label="More about moments" entries={more} isUp />
        </>
      )}
    </div>
  );
  const close = () => ask(undefined);
  const dialog = (
    <>
      {asked?.kind === 'speech' && data && (
        <SpeechDialog
          speech={data.speech}
          timeMs={player.timeMs}
          onSeek={(timeMs) => player.seek?.(timeMs)}
          onClose={close}
        />
      )}
      {asked?.kind === 'similar' && (
        <SimilarDialog
          assetId={asset.id}
          frameId={asked.frameId}
          onSeek={(timeMs) => player.seek?.(timeMs)}
          onClose={close}
        />
      )}
      {(asked?.kind === 'add' || asked?.kind === 'rename') && (
        <MomentDialog
          title={
            asked.kind === 'add'
              ? `Mark a moment at ${clockOf(asked.timeMs)}`
              : 'Rename this moment'
          }
          name={asked.kind === 'rename' ? (asked.moment.title ?? '') : ''}
          onSave={async (title) => {
            if (asked.kind === 'rename') await changeMoment(asked.moment, { title });
            else await addMoment(asset.id, { startMs: asked.timeMs, title });
            close();
            await reload();
            showToast(asked.kind === 'add' ? 'Moment marked' : 'Moment renamed', 'success');
          }}
          onClose={close}
        />
      )}
    </>
  );
  return { tools, dialog };
}
