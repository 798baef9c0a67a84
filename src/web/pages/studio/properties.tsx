import { useId, useState } from 'react';
import { toSeconds } from '../../../core/rational.ts';
import { useAlbums } from '../../data/albums/queries.ts';
import { formatList } from '../../base/format.ts';
import { useMyId } from '../../data/session/session.ts';
import { attemptUndoable } from '../../ui/toast.tsx';
import type { Album } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { ClipTransitions } from './clip-transitions.tsx';
import { change, move, trimEnd } from './edits.ts';
import { getSourceLength, useClipAsset } from './entry-block.tsx';
import {
  type Clip,
  type Entry,
  getEnd,
  getStart,
  isClip,
  isMediaEntry,
  isSound,
  type Sound,
  type Title,
  toNearestFrame,
} from './film.ts';
import { FilmMusic } from './film-music.tsx';
import { NumberField } from './number-field.tsx';
import { Fades, Speed, Volume } from './part-properties.tsx';
import type { Editor } from './use-editor.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

type PropertiesProps = { editor: Editor; isOwner: boolean };

/** The selected clip, title or sound in numbers; without one, the film. */
export function Properties({ editor, isOwner }: PropertiesProps) {
  const { selected } = editor;
  return (
    <section className={styles.properties} aria-label={t('Properties')}>
      {!selected && <p className="muted">{t('Choose a clip, title or sound in the timeline.')}</p>}
      {!selected && isOwner && <Sharing editor={editor} />}
      {!selected && <FilmMusic editor={editor} />}
      {selected && <Times key={`times ${selected.id}`} editor={editor} entry={selected} />}
      {selected && isClip(selected) && (
        <ClipTransitions key={`transitions ${selected.id}`} editor={editor} clip={selected} />
      )}
      {selected && isClip(selected) && (
        <ClipProperties key={selected.id} editor={editor} clip={selected} />
      )}
      {selected && isSound(selected) && (
        <SoundProperties key={selected.id} edit={editor.edit} part={selected} />
      )}
      {selected && !isMediaEntry(selected) && (
        <TitleProperties key={selected.id} editor={editor} title={selected} />
      )}
    </section>
  );
}

function Sharing({ editor: { project, saver } }: { editor: Editor }) {
  const id = useId();
  const albums = useAlbums();
  const [albumId, setAlbumId] = useState(project.albumId ?? '');
  const [asked, setAsked] = useState<Album>();
  const set = async (next: string) => {
    await saver.change({ albumId: next || null });
    setAlbumId(next);
  };
  const share = (next: string, done: string) =>
    void attemptUndoable(
      () => set(next),
      done,
      () => set(albumId),
    );
  const choose = (next: string) => {
    if (next) setAsked(albums.data?.find((album) => album.id === next));
    else share(next, t('No longer shared with an album'));
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t('Shared with the members of')}</label>
      <select id={id} value={albumId} onChange={({ target }) => choose(target.value)}>
        <option value="">{t('Not shared')}</option>
        {albums.data?.map((album) => (
          <option key={album.id} value={album.id}>
            {album.albumName}
          </option>
        ))}
      </select>
      {asked && (
        <ShareFilm
          album={asked}
          onShare={() =>
            share(asked.id, t('Shared with the members of {album}', { album: asked.albumName }))
          }
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

type ShareFilmProps = { album: Album; onShare: () => void; onClose: () => void };

/** Names those who will see the film, before they do. */
function ShareFilm({ album, onShare, onClose }: ShareFilmProps) {
  const myId = useMyId();
  const names = album.albumUsers.flatMap(({ user }) => (user.id === myId ? [] : user.name));
  return (
    <Confirm
      isHarmless
      title={t('Share this film with the members of {album}?', { album: album.albumName })}
      text={
        names.length > 0
          ? t('{names} will see it, and everybody who joins the album later.', {
              names: formatList(names),
            })
          : t('Nobody else is in the album yet. Everybody who joins it will see the film.')
      }
      action={t('Share')}
      onConfirm={onShare}
      onClose={onClose}
    />
  );
}

function Times({ editor, entry }: { editor: Editor; entry: Entry }) {
  const { film, edit } = editor;
  const { data: asset } = useClipAsset(entry);
  const { id } = entry;
  return (
    <>
      <NumberField
        label={t('Start (seconds)')}
        value={toSeconds(getStart(entry))}
        min={0}
        onChange={(value) => edit((film) => move(film, id, toNearestFrame(film, value)))}
      />
      <NumberField
        label={t('End (seconds)')}
        value={toSeconds(getEnd(entry))}
        min={0}
        onChange={(value) =>
          edit((now) =>
            trimEnd(now, id, toNearestFrame(film, value), getSourceLength(asset, entry)),
          )
        }
      />
    </>
  );
}

function ClipProperties({ editor: { edit }, clip }: { editor: Editor; clip: Clip }) {
  const fitId = useId();
  const set = (values: Partial<Clip>) => edit((film) => change(film, clip, values));
  return (
    <>
      <Volume edit={edit} part={clip} />
      <Speed edit={edit} part={clip} />
      <div className="field">
        <label htmlFor={fitId}>{t('Fit')}</label>
        <select
          id={fitId}
          value={clip.fit ?? 'contain'}
          onChange={({ target }) => set({ fit: target.value as 'contain' | 'cover' })}
        >
          <option value="contain">{t('Show all of it')}</option>
          <option value="cover">{t('Fill the canvas')}</option>
        </select>
      </div>
      <NumberField
        label={t('Size (percent)')}
        value={(clip.scale ?? 1) * 100}
        min={1}
        max={1600}
        onChange={(value) => set({ scale: value / 100 })}
      />
      <NumberField
        label={t('Move right (percent)')}
        value={(clip.x ?? 0) * 100}
        min={-200}
        max={200}
        onChange={(value) => set({ x: value / 100 })}
      />
      <NumberField
        label={t('Move down (percent)')}
        value={(clip.y ?? 0) * 100}
        min={-200}
        max={200}
        onChange={(value) => set({ y: value / 100 })}
      />
      <NumberField
        label={t('Rotation (degrees)')}
        value={clip.rotation ?? 0}
        min={-360}
        max={360}
        onChange={(value) => set({ rotation: value })}
      />
      <NumberField
        label={t('Opacity (percent)')}
        value={(clip.opacity ?? 1) * 100}
        min={0}
        max={100}
        onChange={(value) => set({ opacity: value / 100 })}
      />
    </>
  );
}

const SoundProperties = (shared: { edit: Editor['edit']; part: Sound }) => (
  <>
    <Volume {...shared} />
    <Fades {...shared} />
    <Speed {...shared} />
  </>
);

function TitleProperties({ editor: { edit }, title }: { editor: Editor; title: Title }) {
  const textId = useId();
  const colorId = useId();
  const set = (values: Partial<Title>, gesture?: string) =>
    edit((film) => change(film, title, values), gesture);
  return (
    <>
      <div className="field">
        <label htmlFor={textId}>{t('Text')}</label>
        <textarea
          id={textId}
          rows={2}
          maxLength={500}
          value={title.text}
          // The server takes no title without text.
          onChange={({ target }) =>
            set({ text: target.value.trimStart() || ' ' }, `text ${title.id}`)
          }
        />
      </div>
      <NumberField
        label={t('Font size (percent)')}
        value={title.size * 100}
        min={1}
        max={50}
        onChange={(value) => set({ size: value / 100 })}
      />
      <NumberField
        label={t('From the left (percent)')}
        value={title.x * 100}
        min={0}
        max={100}
        onChange={(value) => set({ x: value / 100 })}
      />
      <NumberField
        label={t('From the top (percent)')}
        value={title.y * 100}
        min={0}
        max={100}
        onChange={(value) => set({ y: value / 100 })}
      />
      <div className="field">
        <label htmlFor={colorId}>{t('Color')}</label>
        <input
          id={colorId}
          type="color"
          value={title.color ?? '#ffffff'}
          onChange={({ target }) => set({ color: target.value }, `color ${title.id}`)}
        />
      </div>
    </>
  );
}
