import './dashboard.css';
import { useEffect, useRef } from 'react';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import { greeting } from './greeting.rules.ts';
import { ShortcutLinks } from './shortcut-links.tsx';
import { TodoList } from './todo-list.tsx';

/** Home page of every staff: greeting, waiting work and shortcuts. */
function Dashboard() {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const name = useSession((state) => state.info?.name ?? '');
  const todos = useRef<HTMLElement>(null);
  const isTodoAsked = view.query.get('part') === 'todo';
  useEffect(() => {
    if (isTodoAsked && view.active) todos.current?.focus();
  }, [isTodoAsked, view.active]);
  const now = new Date();
  const day = now.toLocaleDateString(language === 'zh' ? 'zh-CN' : 'en-GB', {
    timeZone: 'Asia/Shanghai',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    weekday: 'long',
  });
  return (
    <div className="home">
      <header className="home-head">
        <h1>
          {text(greeting(now.getHours()))}
          {text(['，', ', '])}
          {name}
        </h1>
        <p>{day}</p>
      </header>
      <div className="home-blocks">
        <section ref={todos} tabIndex={-1} className="home-block" aria-labelledby="home-todo">
          <header>
            <h2 id="home-todo">{text(['待办', 'To-do'])}</h2>
          </header>
          <TodoList open={view.open} />
        </section>
        <ShortcutLinks />
      </div>
    </div>
  );
}

/** The home page, opened by every staff. */
export const component = Dashboard;
