import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { addHotlines } from './hotline.demo.ts';

/** The hotline of one more project; the others still wait for theirs. */
export const demo = defineDemo({
  key: 'projectHotlines',
  after: ['hotlines'],
  run: async (context) => {
    const taken = new Set(
      (await run<{ id: number }>(context.tx, 'SELECT project_id AS id FROM hotline')).map((row) => row.id),
    );
    await addHotlines(
      context,
      context.base.projects.slice(1, 2).filter((one) => !taken.has(one.id)),
    );
  },
});
