import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchDocument, fetchDocuments } from './document-data.ts';

/** One page of the documents that show the words; pages begin with 1. */
export const documentsQuery = (words: string, page: number) =>
  queryOptions({
    queryKey: [...keys.documents, 'list', { words, page }],
    queryFn: () => fetchDocuments(words, page),
  });

export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.documents, 'document', id],
    queryFn: () => fetchDocument(id),
  });
