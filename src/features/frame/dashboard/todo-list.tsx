import './todo-list.css';
import { timeAgo } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { useTodos } from './use-todos.ts';

/** Rows of waiting work; a click opens the screen with the filter set. */
export function TodoList({ open }: { readonly open: (path: string) => void }) {
  const text = useText();
  const { data, isPending, isError, refetch } = useTodos();
  if (isPending)
    return (
      <div className="todo-wait" role="status" aria-busy="true">
        <span className="visually-hidden">{text(['正在加载', 'Loading'])}</span>
        <i className="bone tall" />
        <i className="bone tall" />
        <i className="bone tall" />
      </div>
    );
  if (isError)
    return (
      <p className="todo-none">
        {text(['待办没有加载出来。', 'The to-dos could not be loaded.'])}{' '}
        <button type="button" className="link-button" onClick={() => void refetch()}>
          {text(['重试', 'Retry'])}
        </button>
      </p>
    );
  if (data.length === 0) return <p className="todo-none">{text(['今天没有待办', 'Nothing to do today'])}</p>;
  return (
    <ul className="todo-list">
      {data.map((todo) => (
        <li key={todo.kind}>
          <button type="button" data-overdue={todo.overdue > 0} onClick={() => open(todo.route)}>
            <span>{todo.label}</span>
            {todo.oldest && (
              <small>
                {text(fill(['最早 {when}', 'oldest {when}'], { when: text(timeAgo(todo.oldest)) }))}
              </small>
            )}
            {todo.overdue > 0 && <em>{text(fill(['{n} 项已超时', '{n} overdue'], { n: todo.overdue }))}</em>}
            <strong>{todo.count}</strong>
          </button>
        </li>
      ))}
    </ul>
  );
}
