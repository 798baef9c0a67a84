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
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Asset } from '../../data/types.ts';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { formatClock, type Entry } from './entries.ts';
import {
  analyzeAgain,
  createMoment,
  deleteMoment,
  type Moment,
  type MomentCreate,
  type Moments,
  renameMoment,
  setCover,
} from '../../data/moments/moment-data.ts';
import { SimilarDialog } from './similar-dialog.tsx';
import { SpeechDialog } from './speech-dialog.tsx';
import type { Player } from './use-player.ts';
import styles from './moments.module.css';
import { t } from '../../base/i18n.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';

type Options = {
  asset: Asset;
  data: Moments | undefined;
  isMine: boolean;
  current: Entry | undefined;
  player: Player;
  onCover: () => void;
};

type OpenDialog =
  | { kind: 'add'; timeMs: number }
  | { kind: 'rename'; moment: Moment }
  | { kind: 'similar'; frameId: string }
  | { kind: 'speech' };

/** The tools for a video at the time that is shown, and the dialog of the one that is in use. */
export function useMomentTools(options: Options): { tools: ReactNode; dialog: ReactNode } {
  const { asset, data, isMine, current, player, onCover } = options;
  const [open, setOpen] = useState<OpenDialog>();
  const now = formatClock(player.timeMs);
  const { manual, frameId } = current ?? {};

  const cover = async (timeMs: number | null) => {
    const before = data?.cover.timeMs ?? null;
    const put = (to: number | null) => putCover(asset.id, to, onCover);
    if (!(await put(timeMs))) return;
    const text =
      timeMs === null ? t('The best picture is the cover') : t('The cover is from {now}', { now });
    showUndo(text, () => put(before));
  };
  const more: MenuEntry[] = [
    ...((data?.cover.timeMs ?? null) === null
      ? []
      : [
          {
            icon: ImageUp,
            label: t('Choose the cover automatically'),
            run: () => void cover(null),
          },
        ]),
    {
      icon: RefreshCw,
      label: t('Analyze the video again'),
      run: () => void attempt(() => analyzeAgain(asset.id)),
    },
  ];
  const tools = (
    <div className={styles.momentsTools}>
      {data && data.speech.lines.length > 0 && (
        <IconButton
          icon={MessageSquareText}
          className="small"
          label={t('What is said')}
          onClick={() => setOpen({ kind: 'speech' })}
        />
      )}
      {frameId && (
        <IconButton
          icon={GalleryHorizontalEnd}
          className="small"
          label={t('Similar scenes in videos')}
          onClick={() => setOpen({ kind: 'similar', frameId })}
        />
      )}
      {isMine && manual && (
        <ManualTools
          onRename={() => setOpen({ kind: 'rename', moment: manual })}
          onRemove={() => void remove(asset.id, manual)}
        />
      )}
      {isMine && (
        <>
          <IconButton
            icon={ImageUp}
            className="small"
            label={t('Use the picture at {now} as the cover', { now })}
            onClick={() => void cover(player.timeMs)}
          />
          <IconButton
            icon={BookmarkPlus}
            className="small"
            label={t('Mark a moment at {now}', { now })}
            onClick={() => setOpen({ kind: 'add', timeMs: player.timeMs })}
          />
          <Menu label={t('More about moments')} entries={more} isUp />
        </>
      )}
    </div>
  );
  const dialog = (
    <MomentDialogs
      open={open}
      asset={asset}
      data={data}
      player={player}
      close={() => setOpen(undefined)}
    />
  );
  return { tools, dialog };
}

type ManualProps = { onRename: () => void; onRemove: () => void };

/** For a moment that somebody has marked. */
const ManualTools = ({ onRename, onRemove }: ManualProps) => (
  <>
    <IconButton
      icon={Pencil}
      className="small"
      label={t('Rename this moment')}
      onClick={onRename}
    />
    <IconButton
      icon={Trash2}
      className="small"
      label={t('Remove this moment')}
      onClick={onRemove}
    />
  </>
);

const putCover = (videoId: string, timeMs: number | null, onCover: () => void) =>
  attempt(async () => {
    await setCover(videoId, timeMs);
    onCover();
  });

async function remove(videoId: string, moment: Moment): Promise<void> {
  const { startMs, endMs, title, transcript } = moment;
  if (!(await attempt(() => deleteMoment(moment)))) return;
  showUndo(t('Moment removed'), () =>
    attempt(() => createMoment(videoId, { startMs, endMs, title, transcript })),
  );
}

async function mark(videoId: string, moment: MomentCreate): Promise<void> {
  const made = await createMoment(videoId, moment);
  showUndo(t('Moment marked'), () => attempt(() => deleteMoment(made)));
}

async function rename(moment: Moment, title: string | null): Promise<void> {
  await renameMoment(moment, { title });
  const { title: before } = moment;
  showUndo(t('Moment renamed'), () => attempt(() => renameMoment(moment, { title: before })));
}

type DialogProps = Pick<Options, 'asset' | 'data' | 'player'> & {
  open: OpenDialog | undefined;
  close: () => void;
};

function MomentDialogs({ open, asset, data, player, close }: DialogProps) {
  return (
    <>
      {open?.kind === 'speech' && data && (
        <SpeechDialog
          speech={data.speech}
          timeMs={player.timeMs}
          onSeek={(timeMs) => player.seek?.(timeMs)}
          onClose={close}
        />
      )}
      {open?.kind === 'similar' && (
        <SimilarDialog
          assetId={asset.id}
          frameId={open.frameId}
          onSeek={(timeMs) => player.seek?.(timeMs)}
          onClose={close}
        />
      )}
      {(open?.kind === 'add' || open?.kind === 'rename') && (
        <MomentDialog
          title={
            open.kind === 'add'
              ? t('Mark a moment at {timeMs}', { timeMs: formatClock(open.timeMs) })
              : t('Rename this moment')
          }
          name={open.kind === 'rename' ? (open.moment.title ?? '') : ''}
          onSave={async (title) => {
            if (open.kind === 'rename') await rename(open.moment, title);
            else await mark(asset.id, { startMs: open.timeMs, title });
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

type Props = {
  title: string;
  name: string;
  onSave: (name: string | null) => Promise<void>;
  onClose: () => void;
};

function MomentDialog({ title, name, onSave, onClose }: Props) {
  const form = useForm(({ title: text = '' }) => onSave(text.trim() || null));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('What happens here')}
          name="title"
          defaultValue={name}
          maxLength={255}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
