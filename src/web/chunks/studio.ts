// The editor of films.

export { StudioEditorPage } from '../studio/editor-page.tsx';
export { StudioPage } from '../studio/projects-page.tsx';
