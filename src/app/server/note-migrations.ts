import type { Executor } from '../../kernel/server/database.ts';
import { writeSystemEvent } from '../../kernel/server/tasks/system-event.ts';

/** Keeps in the system log which migrations a start or command applied; nothing where there were none. */
export async function noteMigrations(db: Executor, applied: readonly string[]): Promise<void> {
  if (applied.length === 0) return;
  await writeSystemEvent(db, {
    kind: 'migration',
    text: [
      `数据库结构已升级：${applied.length} 个迁移，至 ${applied.at(-1)}`,
      `The schema was brought up to date: ${applied.length} migrations, up to ${applied.at(-1)}`,
    ],
    detail: { applied },
  });
}
