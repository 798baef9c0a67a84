import { useQuery } from '@tanstack/react-query';
import { FlipHorizontal2, RotateCcw, RotateCw, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { getMessage } from '../api.ts';
import { getUneditedUrl } from '../pictures.ts';
import type { Asset } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/parts.tsx';
import { CropBox } from './crop-box.tsx';
import { type Edits, NO_EDITS, saveEdits, type Size, turnAngle } from './edit-data.ts';
import { centerCut, isWhole } from './geometry.ts';
import { editsQuery } from './queries.ts';
import styles from './edits.module.css';
import { t } from '../i18n.ts';

type Props = { asset: Asset; onClose: (isDone: boolean) => void };

const SHAPES = [
  [t('Free'), undefined],
  ['1 : 1', 1],
  ['4 : 3', 4 / 3],
  ['3 : 2', 3 / 2],
  ['16 : 9', 16 / 9],
] as const;

/** Turns, mirrors and cuts; the file stays as it is, and all can be undone at any time. */
export function EditDialog({ asset, onClose }: Props) {
  const { data: saved, error: loadError } = useQuery(editsQuery(asset));
  const [draft, setDraft] = useState<Edits>();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const room = useElementSize(box);
  const src = getUneditedUrl(asset.id);

  const edits = draft ?? saved?.edits;
  const size = saved?.size;

  const change = (next: Partial<Edits>) => edits && setDraft({ ...edits, ...next });
  const turn = (by: number) =>
    edits && change({ angle: turnAngle(edits.angle, edits.isMirrored ? -by : by) });
  const save = async () => {
    if (!size || !edits) return;
    setBusy(true);
    setError(undefined);
    try {
      const cut = edits.cut && !isWhole(edits.cut) ? edits.cut : undefined;
      await saveEdits(asset.id, { ...edits, cut }, size);
      onClose(true);
    } catch (problem) {
      setError(getMessage(problem));
      setBusy(false);
    }
  };

  return (
    <Dialog title={t('Edit')} onClose={() => onClose(false)} isWide>
      <div ref={setBox} className={styles.editStage}>
        {edits && size && room && (
          <CropBox
            src={src}
            edits={edits}
            {...fitSize(size, room, edits.angle)}
            onCut={(cut) => change({ cut })}
          />
        )}
      </div>
      {edits && size && (
        <div className={styles.editTools}>
          <IconButton icon={RotateCcw} label={t('Rotate left')} onClick={() => turn(-90)} />
          <IconButton icon={RotateCw} label={t('Rotate right')} onClick={() => turn(90)} />
          <IconButton
            icon={FlipHorizontal2}
            label={t('Mirror')}
            isOn={edits.isMirrored}
            onClick={() => change({ isMirrored: !edits.isMirrored })}
          />
          <IconButton
            icon={Undo2}
            label={t('Reset to original')}
            onClick={() => setDraft(NO_EDITS)}
          />
          <span className={styles.editShapes} role="group" aria-label={t('Shape')}>
            {SHAPES.map(([name, shape]) => (
              <button
                key={name}
                className="button small"
                onClick={() =>
                  change({
                    cut: shape
                      ? centerCut(shape, size.width / size.height, edits.angle)
                      : undefined,
                  })
                }
              >
                {name}
              </button>
            ))}
          </span>
        </div>
      )}
      <p className="form-error" role="alert">
        {error ?? loadError?.message}
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={() => onClose(false)}>
          {t('Cancel')}
        </button>
        <button className="button primary" disabled={!edits || isBusy} onClick={() => void save()}>
          {isBusy ? t('One moment …') : t('Save')}
        </button>
      </div>
    </Dialog>
  );
}

/** As large as it can be with all of it seen, also when it is turned. */
function fitSize({ width, height }: Size, room: Size, angle: Edits['angle']): Size {
  const isUpright = angle % 180 === 0;
  const scale = Math.min(
    room.width / (isUpright ? width : height),
    room.height / (isUpright ? height : width),
  );
  return { width: width * scale, height: height * scale };
}

function useElementSize(element: HTMLElement | null): Size | undefined {
  const [size, setSize] = useState<Size>();
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
