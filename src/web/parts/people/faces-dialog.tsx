import { Eye, EyeOff, SquarePlus, UserPen, UserX, X } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Asset } from '../../data/types.ts';
import { IconButton } from '../../ui/elements.tsx';
import { createFaceActions } from '../../data/people/face-actions.ts';
import { FaceBox } from './face-box.tsx';
import {
  type AssetFace,
  getPlaceBetween,
  type Place,
  getPlace,
} from '../../data/people/faces-data.ts';
import { type Person, WHO_IS_THIS } from '../../data/people/people-data.ts';
import { toBoxStyle } from './box-style.ts';
import { faceSourceQuery, facesQuery } from '../../data/people/queries.ts';
import { WhoDialog } from './who-dialog.tsx';
import styles from './people.module.css';
import { t } from '../../base/i18n.ts';

type Props = { asset: Asset; onClose: () => void };
/** The face, or the drawn box, that a person is being chosen for. */
type Target = { face: AssetFace } | { place: Place };
const SMALLEST_DRAWN = 0.015;
/** The small ones last: they lie above the others and can be reached. */
const bySize = (a: AssetFace, b: AssetFace): number => computeArea(b) - computeArea(a);
const computeArea = (face: AssetFace): number => getPlace(face).width * getPlace(face).height;

/** In the background of a crowd: too small for a finger, and in the way of the faces that count. */
const TINY = 0.02;
const isTarget = (face: AssetFace): boolean => {
  const { width, height } = getPlace(face);
  return face.person !== null || Math.max(width, height) >= TINY;
};

/** The faces on a photo: whose they are, where they are, and new ones drawn by hand. */
export function FacesDialog({ asset, onClose }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useInertSiblings(box);
  const source = useQuery(faceSourceQuery(asset.id));
  const faces = useQuery(facesQuery(asset.id));
  const [selectedId, setSelectedId] = useState<string>();
  const [isDrawing, setDrawing] = useState(false);
  const [target, setTarget] = useState<Target>();
  const selected = faces.data?.find(({ id }) => id === selectedId);

  const { give, hide, move, draw } = createFaceActions(source.data);
  const pick = (person: Person) => {
    setTarget(undefined);
    if (!target) return;
    if ('face' in target) return void give(target.face, person);
    void draw(target.place, person);
  };
  const shape = source.data;
  const error = source.error ?? faces.error;
  return (
    <dialog
      ref={box}
      className={styles.facesDialog}
      aria-label={t('Faces on this photo')}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className={styles.facesFrame}>
        <header className={styles.facesBar}>
          <h2>{t('Faces')}</h2>
          {shape && (
            <button
              className="button small"
              aria-pressed={isDrawing}
              onClick={() => setDrawing(!isDrawing)}
            >
              <SquarePlus size={16} aria-hidden />{' '}
              {isDrawing ? t('Stop drawing') : t('Draw a face')}
            </button>
          )}
          <IconButton icon={X} label={t('Close the faces')} onClick={onClose} />
        </header>
        <div className={styles.facesStage}>
          {shape && (
            <Canvas
              asset={asset}
              ratio={shape.imageWidth / shape.imageHeight}
              isDrawing={isDrawing}
              onDraw={(place) => {
                setDrawing(false);
                setTarget({ place });
              }}
              onLeave={() => setSelectedId(undefined)}
            >
              {faces.data
                ?.filter(isTarget)
                .toSorted(bySize)
                .map((face) => (
                  <FaceBox
                    key={`${face.id} ${face.revision}`}
                    face={face}
                    isChosen={face.id === selectedId}
                    onChoose={() => setSelectedId(face.id)}
                    onMove={(place) => void move(face, place)}
                  />
                ))}
            </Canvas>
          )}
          {error && <p role="alert">{error.message}</p>}
        </div>
        <footer className={styles.facesFoot}>
          {selected ? (
            <FaceTools
              face={selected}
              onName={() => setTarget({ face: selected })}
              onClear={() => void give(selected, null)}
              onHide={() => void hide(selected)}
            />
          ) : (
            <p className="muted">{toHint(isDrawing, faces.data?.length === 0)}</p>
          )}
        </footer>
      </div>
      {target && <WhoDialog onPick={pick} onClose={() => setTarget(undefined)} />}
    </dialog>
  );
}

type FaceToolsProps = {
  face: AssetFace;
  onName: () => void;
  onClear: () => void;
  onHide: () => void;
};

function FaceTools({ face, onName, onClear, onHide }: FaceToolsProps) {
  return (
    <>
      <button className="button small primary" onClick={() => onName()}>
        <UserPen size={16} aria-hidden /> {face.person ? t('Somebody else') : WHO_IS_THIS}
      </button>
      {face.person && (
        <button className="button small" onClick={() => onClear()}>
          <UserX size={16} aria-hidden />{' '}
          {t('Not {name}', { name: face.person.name || t('this person') })}
        </button>
      )}
      <button className="button small" onClick={() => onHide()}>
        {face.isHidden ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
        {face.isHidden ? t('Show again') : t('Not a face')}
      </button>
    </>
  );
}

function toHint(isDrawing: boolean, isEmpty: boolean): string {
  if (isDrawing) return t('Drag a box around the face.');
  return isEmpty
    ? t('No faces are known here. You can draw them.')
    : t('Choose a face to name, move or hide it.');
}

/** Not modal for the browser: the toasts with their way back must stay within reach. */
function useInertSiblings(box: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const element = box.current;
    element?.show();
    const others = [...(element?.parentElement?.children ?? [])].filter((one) => one !== element);
    for (const other of others) other.setAttribute('inert', '');
    return () => {
      for (const other of others) other.removeAttribute('inert');
    };
  }, [box]);
}

type CanvasProps = {
  asset: Asset;
  ratio: number;
  isDrawing: boolean;
  onDraw: (place: Place) => void;
  onLeave: () => void;
  children: React.ReactNode;
};

/** The picture; a box can be drawn on it. */
function Canvas({ asset, ratio, isDrawing, onDraw, onLeave, children }: CanvasProps) {
  const [start, setStart] = useState<{ x: number; y: number }>();
  const [place, setPlace] = useState<Place>();
  const at = (event: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  };
  const stop = () => {
    setStart(undefined);
    setPlace(undefined);
  };
  return (
    <div
      data-part="faces-picture"
      className={isDrawing ? `${styles.facesPicture} ${styles.drawing}` : styles.facesPicture}
      style={{ '--ratio': ratio } as React.CSSProperties}
      onPointerDown={(event) => {
        if (!isDrawing) {
          if (event.target === event.currentTarget) onLeave();
          return;
        }
        event.currentTarget.setPointerCapture(event.pointerId);
        setStart(at(event));
      }}
      onPointerMove={(event) => start && setPlace(getPlaceBetween(start, at(event)))}
      onPointerCancel={stop}
      onPointerUp={() => {
        if (place && place.width > SMALLEST_DRAWN && place.height > SMALLEST_DRAWN) onDraw(place);
        stop();
      }}
    >
      <img src={getPictureUrl(asset.id, 'preview', asset.thumbhash)} alt="" draggable={false} />
      {!isDrawing && children}
      {place && (
        <span
          data-part="face-box"
          className={`${styles.faceBox} ${styles.new}`}
          style={toBoxStyle(place)}
        />
      )}
    </div>
  );
}
