export { keepNamedFaces } from './faces.domain.ts';
