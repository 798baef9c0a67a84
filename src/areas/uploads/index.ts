export { type Form, readForm } from './form/multipart.ts';
