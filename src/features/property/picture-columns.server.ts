/** SQL of the pictures of a column of ids as rows show them, in their order. */
export const picturesOf = (column: string): string =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name, 'type', f.type, 'size', f.size, 'url', '/api/file/' || f.id) ORDER BY o.n), '[]')
      FROM unnest(${column}) WITH ORDINALITY AS o (id, n) JOIN stored_file f ON f.id = o.id)`;
