import { run, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { createWorkOrder } from '../../../domain/work-order/create-work-order.server.ts';

/**
 * btn_add: a repair names a category of the lowest level in use, a place that is a house of the project or a public area, and times ahead.
 * Throws 422 and 404 for what lies in other projects.
 */
export async function createOrder(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input } = context;
  const projectId = Number(input.project);
  requireProjectsInReach(caller, [projectId]);
  const wrong: Record<string, Label> = {};
  const area = ((input.area as string | null) ?? '').trim();
  const houseId = (input.house as number | null) ?? null;
  const buildingId = (input.building as number | null) ?? null;
  if (houseId === null && area === '')
    wrong.house = ['请选择房屋或填写公共区域', 'Name a house or a public area'];
  if (houseId !== null && area !== '')
    wrong.area = ['房屋与公共区域只填一项', 'Either a house or a public area'];
  const house =
    houseId === null
      ? undefined
      : await runOne<{ project_id: number; building_id: number; title: string }>(
          tx,
          `SELECT h.project_id, u.building_id, p.name || ' ' || b.name || ' ' || u.name || ' ' || h.number AS title
             FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
            WHERE h.id = $1 AND h.project_id = $2`,
          [houseId, projectId],
        );
  if (houseId !== null && !house) throw notFound();
  const building =
    buildingId === null
      ? undefined
      : await runOne<{ name: string }>(tx, 'SELECT name FROM building WHERE id = $1 AND project_id = $2', [
          buildingId,
          projectId,
        ]);
  if (buildingId !== null && !building) throw notFound();
  if (house && buildingId !== null && house.building_id !== buildingId)
    wrong.building = ['与房屋不在同一楼栋', 'The house stands in another building'];
  const project = await runOne<{ name: string; tenant_id: number | null }>(
    tx,
    `SELECT p.name, (SELECT min(tp.tenant_id) FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 WHERE tp.project_id = p.id) AS tenant_id
       FROM project p WHERE p.id = $1`,
    [projectId],
  );
  if (!project) throw notFound();
  const isRepair = input.class === 'repair';
  const categoryId = (input.category as number | null) ?? null;
  if (categoryId === null) {
    if (isRepair) wrong.category = ['请选择报修分类', 'Choose a category'];
  } else {
    const category = await runOne<{ class: string; below: boolean }>(
      tx,
      `SELECT c.class, EXISTS (SELECT FROM work_category k WHERE k.parent_id = c.id AND k.enabled) AS below FROM work_category c
        WHERE c.id = $1 AND c.enabled AND (c.tenant_id IS NULL OR c.tenant_id = $2)`,
      [categoryId, project.tenant_id],
    );
    if (!category) wrong.category = ['没有此分类', 'There is no such category'];
    else if (category.class !== input.class)
      wrong.category = ['分类与工单类别不符', 'The category is of the other class'];
    else if (category.below) wrong.category = ['请选择最末级分类', 'Choose one of the lowest level'];
  }
  const complained = (input.complainedStaff as number | null) ?? null;
  if (complained !== null) {
    if (isRepair) wrong.complainedStaff = ['仅投诉可填写', 'Only for complaints'];
    else if (
      !(await runOne(tx, 'SELECT 1 AS one FROM staff WHERE id = $1 AND tenant_id = $2', [
        complained,
        project.tenant_id,
      ]))
    )
      throw notFound();
  }
  const expectedAt = input.expectedAt ? new Date(String(input.expectedAt)) : null;
  if (expectedAt && expectedAt.getTime() < Date.now())
    wrong.expectedAt = ['期望时间不能早于现在', 'It lies in the past'];
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  const imageIds = (input.images as string[] | null) ?? [];
  await checkAttachable(tx, caller, 'images', imageIds);
  const video = (input.video as string | null) ?? null;
  if (video) await checkAttachable(tx, caller, 'video', [video]);
  const [member] = await run<{ id: number }>(
    tx,
    `SELECT m.id FROM member m JOIN household x ON x.member_id = m.id AND x.status = 'normal' WHERE m.phone = $1 AND x.house_id = $2`,
    [input.contactPhone, houseId],
  );
  const made = await createWorkOrder(
    tx,
    {
      projectId,
      houseId,
      memberId: member?.id ?? null,
      source: 4,
      onBehalf: input.onBehalf === true,
      title: String(input.title),
      description: String(input.description),
      imageIds,
      contactName: String(input.contactName),
      contactPhone: String(input.contactPhone),
      address:
        ((input.address as string | null) ?? '').trim() ||
        (house ? house.title : [project.name, building?.name, area].filter(Boolean).join(' ')),
      expectedAt,
      class: input.class as 'repair' | 'complaint',
      urgency: input.urgency as 'normal' | 'urgent' | 'emergency',
      categoryId,
      area,
      buildingId: buildingId ?? house?.building_id ?? null,
      videoId: video,
      complainedStaffId: complained,
    },
    caller,
  );
  return { id: made.id, told: true };
}
