import { FlipHorizontal2, RotateCcw, RotateCw, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { messageOf } from '../api.ts';
import { uneditedOf } from '../pictures.ts';
import type { Asset } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/parts.tsx';
import { CropBox } from './crop-box.tsx';
import {
  type Edits,
  editsOf,
  fetchSteps,
  NO_EDITS,
  saveEdits,
  type Size,
  turned,
} from './edit-data.ts';
import { centered, isWhole } from './geometry.ts';
import styles from './edits.module.css';

type Props = { asset: Asset; onClose: (isDone: boolean) => void };

const SHAPES = [
  ['Free', undefined],
  ['1 : 1', 1],
  ['4 : 3', 4 / 3],
  ['3 : 2', 3 / 2],
  ['16 : 9', 16 / 9],
] as const;

/** Turns, mirrors and cuts; the file stays as it is, and all can be undone at any time. */
export function EditDialog({ asset, onClose }: Props) {
  const [size, setSize] = useState<Size>();
  const [edits, setEdits] = useState<Edits>();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const room = useSizeOf(box);
  const src = uneditedOf(asset.id);

  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const found = await sizeUnedited(asset, src);
      const steps = asset.isEdited ? await fetchSteps(asset.id) : [];
      if (isGone) return;
      setSize(found);
      setEdits(editsOf(steps, found));
    };
    load().catch((problem: unknown) => setError(messageOf(problem)));
    return () => {
      isGone = true;
    };
  }, [asset.id]);

  const change = (next: Partial<Edits>) => setEdits((old) => old && { ...old, ...next });
  const turn = (by: number) =>
    edits && change({ angle: turned(edits.angle, edits.isMirrored ? -by : by) });
  const save = async () => {
    if (!size || !edits) return;
    setBusy(true);
    setError(undefined);
    try {
      const cut = edits.cut && !isWhole(edits.cut) ? edits.cut : undefined;
      await saveEdits(asset.id, { ...edits, cut }, size);
      onClose(true);
    } catch (problem) {
      setError(messageOf(problem));
      setBusy(false);
    }
  };

  return (
    <Dialog title="Edit" onClose={() => onClose(false)} isWide>
      <div ref={setBox} className={styles.editStage}>
        {edits && size && room && (
          <CropBox
            src={src}
            edits={edits}
            {...fitted(size, room, edits.angle)}
            onCut={(cut) => change({ cut })}
          />
        )}
      </div>
      {edits && size && (
        <div className={styles.editTools}>
          <IconButton icon={RotateCcw} label="Turn left" onClick={() => turn(-90)} />
          <IconButton icon={RotateCw} label="Turn right" onClick={() => turn(90)} />
          <IconButton
            icon={FlipHorizontal2}
            label="Mirror"
            isOn={edits.isMirrored}
            onClick={() => change({ isMirrored: !edits.isMirrored })}
          />
          <IconButton icon={Undo2} label="As it was taken" onClick={() => setEdits(NO_EDITS)} />
          <span className={styles.editShapes} role="group" aria-label="Shape">
            {SHAPES.map(([name, shape]) => (
              <button
                key={name}
                className="button small"
                onClick={() =>
                  change({
                    cut: shape ? centered(shape, size.width / size.height, edits.angle) : undefined,
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
        {error}
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={() => onClose(false)}>
          Cancel
        </button>
        <button className="button primary" disabled={!edits || isBusy} onClick={() => void save()}>
          {isBusy ? 'One moment …' : 'Save'}
        </button>
      </div>
    </Dialog>
  );
}

/** As large as it can be with all of it seen, also when it is turned. */
function fitted({ width, height }: Size, room: Size, angle: Edits['angle']): Size {
  const isUpright = angle % 180 === 0;
  const scale = Math.min(
    room.width / (isUpright ? width : height),
    room.height / (isUpright ? height : width),
  );
  return { width: width * scale, height: height * scale };
}

function useSizeOf(element: HTMLElement | null): Size | undefined {
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

/** In pixels of the original, upright: of an edited photo the API tells only the edited size. */
async function sizeUnedited(asset: Asset, src: string): Promise<Size> {
  const { width, height, exifInfo, isEdited } = asset;
  if (!isEdited && width && height) return { width, height };
  const image = new Image();
  image.src = src;
  await image.decode();
  const [a, b] = [exifInfo?.exifImageWidth, exifInfo?.exifImageHeight];
  if (!a || !b) return { width: image.naturalWidth, height: image.naturalHeight };
  const isWide = image.naturalWidth >= image.naturalHeight;
  return {
    width: isWide ? Math.max(a, b) : Math.min(a, b),
    height: isWide ? Math.min(a, b) : Math.max(a, b),
  };
}
