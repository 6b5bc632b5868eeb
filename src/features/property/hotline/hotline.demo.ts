import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { hotline } from './hotline.contract.ts';

/** The hotline of the oldest project; those of the others are the set beside it. */
export const demo = defineDemo({
  key: 'hotlines',
  run: (context) => addHotlines(context, context.base.projects.slice(0, 1)),
});

/** Writes the numbers of some projects with their first timeline line. */
export async function addHotlines(
  { insert, tell, now, system, random }: DemoContext,
  projects: DemoContext['base']['projects'],
): Promise<void> {
  const at = (index: number) => new Date(now.getTime() - (220 - index * 23) * 86_400_000);
  const ids = await insert(
    'hotline',
    projects.map((project, index) => ({
      project_id: project.id,
      title: `${project.name}服务热线`.slice(0, 30),
      numbers: [
        { name: '客服前台', phone: `021-6123${String(1001 + project.id * 11)}`, hours: '08:30–18:00' },
        { name: '24 小时应急', phone: `400-820-${random.digits(4)}`, hours: '00:00–24:00' },
        { name: '工程维修', phone: `1381${random.digits(7)}`, hours: '08:00–20:00' },
        ...(index % 2 === 0
          ? [{ name: '秩序岗亭', phone: `021-6123${String(2002 + project.id * 11)}`, hours: '00:00–24:00' }]
          : []),
      ],
      created_at: at(index),
      updated_at: at(index),
    })),
  );
  for (const [index, id] of ids.entries())
    await tell({
      entity: hotline.name,
      entityId: id,
      at: at(index),
      caller: system,
      action: 'create',
      label: ['新增', 'Added'],
    });
}
