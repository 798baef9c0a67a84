import { Eye, EyeOff, SquarePlus, UserPen, UserX, X } from 'lucide-react';
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { pictureOf } from '../pictures.ts';
import { attempt, showUndo } from '../toast.tsx';
import type { Asset } from '../types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { FaceBox } from './face-box.tsx';
import {
  type AssetFace,
  between,
  changeFace,
  drawFace,
  fetchFaces,
  fetchSource,
  moveFace,
  type Place,
  placeOf,
} from './faces-data.ts';
import type { Person } from './people-data.ts';
import { PersonPicker } from './picker.tsx';
import { styleOf } from './place-style.ts';

type Props = { asset: Asset; onClose: () => void };
/** What a person is being chosen for. */
type Asked = { face: AssetFace } | { place: Place };
const LEAST = 0.015;
/** The small ones last: they lie above the others and can be reached. */
const bySize = (a: AssetFace, b: AssetFace): number => areaOf(b) - areaOf(a);
const areaOf = (face: AssetFace): number => placeOf(face).width * placeOf(face).height;

/** The faces on a photo: whose they are, where they are, and new ones drawn by hand. */
export function FacesDialog({ asset, onClose }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useAlone(box);
  const source = useLoad(() => fetchSource(asset.id), asset.id);
  const faces = useLoad(() => fetchFaces(asset.id), asset.id);
  const [chosenId, choose] = useState<string>();
  const [isDrawing, setDrawing] = useState(false);
  const [asked, ask] = useState<Asked>();
  const chosen = faces.data?.find(({ id }) => id === chosenId);

  /** After a refusal as after a success, what is shown is what the server has. */
  const apply = async (
    work: () => Promise<AssetFace>,
    done: string,
    back?: (now: AssetFace) => Promise<AssetFace>,
  ) => {
    let after: AssetFace | undefined;
    const isDone = await attempt(async () => (after = await work()));
    await faces.reload();
    const now = after;
    if (isDone && now && back) showUndo(done, () => apply(() => back(now), 'Taken back'));
  };
  const give = (face: AssetFace, person: Person | null) =>
    apply(
      () => changeFace(face, { personId: person?.id ?? null }),
      person ? `This is ${person.name || 'somebody else'}` : 'Nobody’s face now',
      (now) => changeFace(now, { personId: face.person?.id ?? null }),
    );
  const hide = (face: AssetFace) =>
    apply(
      () => changeFace(face, { isHidden: !face.isHidden }),
      face.isHidden ? 'Shown again' : 'Hidden: it is no face',
      (now) => changeFace(now, { isHidden: face.isHidden }),
    );
  const move = (face: AssetFace, place: Place) =>
    source.data &&
    apply(
      () => moveFace(face, source.data!, place),
      'Moved',
      (now) => moveFace(now, source.data!, placeOf(face)),
    );
  const pick = (person: Person) => {
    ask(undefined);
    if (!asked) return;
    if ('face' in asked) return void give(asked.face, person);
    if (source.data) {
      const { data } = source;
      void apply(
        () => drawFace(data, asked.place, person.id),
        'Face added',
        (now) => changeFace(now, { isHidden: true }),
      );
    }
  };
  const shape = source.data;
  return (
    <dialog
      ref={box}
      className="faces-dialog"
      aria-label="Faces on this photo"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className="faces-frame">
        <header className="faces-bar">
          <h2>Faces</h2>
          {shape && (
            <button
              className="button small"
              aria-pressed={isDrawing}
              onClick={() => setDrawing(!isDrawing)}
            >
              <SquarePlus size={16} aria-hidden /> {isDrawing ? 'Stop drawing' : 'Draw a face'}
            </button>
          )}
          <IconButton icon={X} label="Close the faces" onClick={onClose} />
        </header>
        <div className="faces-stage">
          {shape && (
            <Canvas
              asset={asset}
              ratio={shape.imageWidth / shape.imageHeight}
              isDrawing={isDrawing}
              onDraw={(place) => {
                setDrawing(false);
                ask({ place });
              }}
              onLeave={() => choose(undefined)}
            >
              {faces.data?.toSorted(bySize).map((face) => (
                <FaceBox
                  key={`${face.id} ${face.revision}`}
                  face={face}
                  isChosen={face.id === chosenId}
                  onChoose={() => choose(face.id)}
                  onMove={(place) => void move(face, place)}
                />
              ))}
            </Canvas>
          )}
          {(source.error ?? faces.error) && <p role="alert">{source.error ?? faces.error}</p>}
        </div>
        <footer className="faces-foot">
          {chosen ? (
            <>
              <button className="button small primary" onClick={() => ask({ face: chosen })}>
                <UserPen size={16} aria-hidden /> {chosen.person ? 'Somebody else' : 'Who is it?'}
              </button>
              {chosen.person && (
                <button className="button small" onClick={() => void give(chosen, null)}>
                  <UserX size={16} aria-hidden /> Not {chosen.person.name || 'this person'}
                </button>
              )}
              <button className="button small" onClick={() => void hide(chosen)}>
                {chosen.isHidden ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
                {chosen.isHidden ? 'Show again' : 'Not a face'}
              </button>
            </>
          ) : (
            <p className="muted">
              {isDrawing
                ? 'Drag a box around the face.'
                : faces.data?.length === 0
                  ? 'No faces are known here. You can draw them.'
                  : 'Choose a face to name, move or hide it.'}
            </p>
          )}
        </footer>
      </div>
      {asked && (
        <Dialog title="Who is it?" onClose={() => ask(undefined)}>
          <PersonPicker canCreate onPick={pick} />
        </Dialog>
      )}
    </dialog>
  );
}

/** Not modal for the browser: the toasts with their way back must stay within reach. */
function useAlone(box: RefObject<HTMLDialogElement | null>): void {
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
      className={isDrawing ? 'faces-picture drawing' : 'faces-picture'}
      style={{ '--ratio': ratio } as React.CSSProperties}
      onPointerDown={(event) => {
        if (!isDrawing) {
          if (event.target === event.currentTarget) onLeave();
          return;
        }
        event.currentTarget.setPointerCapture(event.pointerId);
        setStart(at(event));
      }}
      onPointerMove={(event) => start && setPlace(between(start, at(event)))}
      onPointerCancel={stop}
      onPointerUp={() => {
        if (place && place.width > LEAST && place.height > LEAST) onDraw(place);
        stop();
      }}
    >
      <img src={pictureOf(asset.id, 'preview', asset.thumbhash)} alt="" draggable={false} />
      {!isDrawing && children}
      {place && <span className="face-box new" style={styleOf(place)} />}
    </div>
  );
}
