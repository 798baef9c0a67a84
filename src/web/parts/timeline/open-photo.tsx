import { Viewer } from '../viewer/lazy-viewer.tsx';
import type { Rights } from '../grid/action-names.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';

type Props = {
  id: string;
  timeline: Timeline;
  may: Rights;
  toHref: (id: string) => string;
  /** Where it is closed to. */
  listHref: string;
  navigate: (to: string, options?: { replace?: boolean }) => void;
  focusOn: (id: string) => void;
};

/** A photo of a grid in the viewer; closed, it has the focus in the grid. */
export const OpenPhoto = ({ id, timeline, may, toHref, listHref, navigate, focusOn }: Props) => (
  <Viewer
    id={id}
    timeline={timeline}
    may={may}
    onMove={(next) => navigate(toHref(next), { replace: true })}
    onClose={(last) => {
      navigate(listHref, { replace: true });
      requestAnimationFrame(() => focusOn(last));
    }}
  />
);
