import { findMailAlbum } from '../../src/areas/albums/mail-album.domain.ts';
import { createDeliverHandler } from '../../src/areas/mail/deliver.handlers.ts';

/** The handler as the worker registers it. */
export const handleDeliverMail = createDeliverHandler(findMailAlbum);
