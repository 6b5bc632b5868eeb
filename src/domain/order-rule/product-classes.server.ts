/** SQL: the classes of a product as references of a list, with their names in both languages. */
export const classesOfSql = (productId: string): string =>
  `(SELECT coalesce(json_agg(json_build_object('id', c.id::text, 'title', c.name, 'titleEn', coalesce(nullif(c.name_en, ''), c.name)) ORDER BY c.id), '[]') FROM product_class_member pc JOIN product_class c ON c.id = pc.class_id WHERE pc.product_id = ${productId})`;
