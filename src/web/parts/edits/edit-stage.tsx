import { useEffect, useState } from 'react';
import { UNADJUSTED } from '../../../media/adjustments.ts';
import { CropBox } from './crop-box.tsx';
import { getShownSize } from './draw.ts';
import { type Edits, NO_EDITS, type PictureState, type Size } from '../../data/edits/edit-data.ts';
import type { Change } from './edit-panel.tsx';
import { PictureCanvas } from './picture-canvas.tsx';
import styles from './edits.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  image: HTMLImageElement;
  state: PictureState;
  /** With what is cut away, and handles to cut. */
  isCropping: boolean;
  /** As it was taken. */
  isOriginal: boolean;
  onChange: (change: Change) => void;
};

/** The picture as large as there is room. */
export function EditStage(props: Props) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const room = useElementSize(box);
  return (
    <div ref={setBox} className={styles.editStage}>
      {room && <Picture room={room} {...props} />}
    </div>
  );
}

function Picture({ image, state, isCropping, isOriginal, onChange, room }: Props & { room: Size }) {
  const { edits, adjustments, size } = state;
  if (isOriginal) {
    return (
      <div className={styles.result}>
        <PictureCanvas
          image={image}
          edits={NO_EDITS}
          adjustments={UNADJUSTED}
          size={fitSize(size, room, 0)}
          label={t('The original photo')}
        />
      </div>
    );
  }
  if (isCropping) {
    const fitted = fitSize(size, room, edits.angle);
    return (
      <CropBox edits={edits} {...fitted} onCut={(cut) => onChange({ edits: { ...edits, cut } })}>
        <PictureCanvas
          image={image}
          edits={NO_EDITS}
          adjustments={toUnturned(adjustments)}
          size={fitted}
        />
      </CropBox>
    );
  }
  const shown = getShownSize({ edits, straighten: adjustments.straighten }, size);
  return (
    <div className={styles.result} data-part="result">
      <PictureCanvas
        image={image}
        edits={edits}
        adjustments={adjustments}
        size={fitSize(shown, room, 0)}
        label={t('The edited photo')}
      />
    </div>
  );
}

const toUnturned = (adjustments: PictureState['adjustments']) => ({
  ...adjustments,
  straighten: 0,
});

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
