import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { SECKILL_ENTITY } from '../../../domain/seckill/activity.server.ts';
import { checksNow, end, resume, resumeRule } from './seckill.server.ts';
import { seckillResume } from './seckill.contract.ts';
import { FIGURES, FROM, SECKILL_SCOPE } from './seckill-scope.server.ts';

const { projects: _projects, sessionCount: _sessions, ...figures } = FIGURES;

/** Paused seckills. */
export const registration = bindResource(seckillResume, {
  table: 'seckill_activity',
  entity: SECKILL_ENTITY,
  from: `${FROM} LEFT JOIN staff d ON d.id = t.paused_by`,
  where: `t.state = 'paused'`,
  scope: SECKILL_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    ...figures,
    pausedBy: { id: 't.paused_by', title: 'd.name' },
    pauseReason: 't.state_reason',
    pausedMinutes: 'floor(extract(epoch FROM now() - t.paused_at) / 60)::integer',
    byPlatform: 't.paused_by_platform',
    sessionsLeft:
      '(SELECT count(*)::integer FROM seckill_session n WHERE n.activity_id = t.id AND n.ends_at > now())',
  },
  ruleReads: ['byPlatform'],
  rowRules: { resume: resumeRule },
  handlers: { resume, end },
  detail: async (db, id) => ({ checks: await checksNow(db, id, 'paused') }),
}).registration;
