import { useEffect } from 'react';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { butlerAchievement } from './achievement.contract.ts';

/** The report, which starts with the present month. */
function AchievementScreen() {
  const view = useView();
  const missing = view.query.get('range') === null;
  useEffect(() => {
    if (!missing) return;
    const today = businessDayOf(new Date());
    const query = new URLSearchParams(view.query);
    query.set('range', `${today.slice(0, 7)}-01~${today}`);
    view.setQuery(query);
  }, [missing, view]);
  return missing ? null : <ScreenOf contract={butlerAchievement} />;
}

/** Module of butler_achievement. */
export const screen = { contract: butlerAchievement, component: AchievementScreen };
