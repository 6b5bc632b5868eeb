import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { diffLines, linesOf } from './text-diff.rules.ts';

const ROOT = '/jinmao/web/protocolVersion';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, `${ROOT}${path}`, body);
const db = () => product.platform.database.db;
const AGREEMENT = {
  type: 'payment',
  app: 'staff',
  title: '员工端支付协议',
  titleEn: 'Payment agreement of the staff app',
  body: '<p>第一条</p>',
  reaccept: false,
  changeNote: '首次发布',
};
const add = (input: object = {}) => call('POST', '', { ...AGREEMENT, ...input });
const clear = () => run(db(), `DELETE FROM protocol_version WHERE type = 'payment' AND app = 'staff'`);
const stateOf = async (id: string) => ((await call('GET', `/${id}`)).data as { state: string }).state;
const job = () =>
  product.platform.registrations
    .flatMap((service) => service.jobs ?? [])
    .find((one) => one.name === 'protocol.effective')!;
const TOMORROW = async () =>
  (await runOne<{ at: string }>(
    db(),
    `SELECT to_char(((now() AT TIME ZONE 'Asia/Shanghai')::date + 1)::timestamp, 'YYYY-MM-DD"T"HH24:MI:SS"+08:00"') AS at`,
  ))!.at;

test('Must show 11: agreement 1.1 scheduled for tomorrow 00:00: 1.0 archived and 1.1 published by the run of the minute, editing 1.0 is refused', async () => {
  await clear();
  const first = (await add()).data as { id: string; edition: string; version: number };
  expect(first.edition).toBe('1.0');
  const released = await call('POST', `/${first.id}/publish`, {});
  expect([released.data.state, released.data.effectiveAt !== null]).toEqual(['published', true]);
  const revised = await call('POST', `/${first.id}/revise`, {});
  const second = (revised.data.result as { id: string; edition: string }) ?? {};
  expect(second.edition).toBe('1.1');
  const draft = (await call('GET', `/${second.id}`)).data as { version: number; body: string };
  expect(draft.body).toBe('<p>第一条</p>');
  const saved = await call('PUT', `/${second.id}`, {
    version: draft.version,
    body: '<p>第一条，已修改</p>',
    effectiveAt: await TOMORROW(),
    changeNote: '修改第一条',
  });
  expect(saved.http).toBe(200);
  expect((await call('POST', `/${second.id}/publish`, {})).data.state).toBe('scheduled');
  await job().run({}, product.platform);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['published', 'scheduled']);
  expect(job().cron).toBe('* * * * *');
  // Midnight has come.
  await run(db(), `UPDATE protocol_version SET effective_at = now() WHERE id = $1`, [Number(second.id)]);
  await Promise.all([job().run({}, product.platform), job().run({}, product.platform)]);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['archived', 'published']);
  const events = (await call('GET', `/${first.id}/timeline`)).data as { label: string; who: string }[];
  expect(events.filter((one) => one.label === '被新版本取代')).toHaveLength(1);
  const edit = await call('PUT', `/${first.id}`, { version: 99, title: '改' });
  expect([edit.status, edit.message]).toEqual([30101, '当前状态为「已归档」，不能编辑']);
  expect((await call('PUT', `/${second.id}`, { version: 99, title: '改' })).status).toBe(30101);
  // The database itself keeps what was released.
  await expect(
    run(db(), `UPDATE protocol_version SET body = '<p>x</p>' WHERE id = $1`, [Number(second.id)]),
  ).rejects.toThrow('never changes');
});

describe('refused', () => {
  test('a time that has passed: at its field, and where it passes while the draft waits', async () => {
    await clear();
    const past = await add({ effectiveAt: '2020-01-01T00:00:00+08:00' });
    expect([past.http, past.data.fields.effectiveAt]).toEqual([422, '生效时间须晚于现在']);
    const draft = (await add({ effectiveAt: await TOMORROW() })).data as { id: string };
    await run(db(), `UPDATE protocol_version SET effective_at = now() - interval '1 minute' WHERE id = $1`, [
      Number(draft.id),
    ]);
    const late = await call('POST', `/${draft.id}/publish`, {});
    expect([late.status, late.message]).toEqual([30101, '生效时间已过，请修改后再发布']);
  });

  test('a second scheduled version, whether it would wait or act at once; taken back, the way is free', async () => {
    await clear();
    const first = (await add({ effectiveAt: await TOMORROW() })).data as { id: string };
    await call('POST', `/${first.id}/publish`, {});
    const second = (await add({ effectiveAt: await TOMORROW() })).data as { id: string; edition: string };
    expect(second.edition).toBe('1.1');
    const refused = await product.app.inject({
      method: 'POST',
      url: `/api${ROOT}/${second.id}/publish`,
      headers: { authorization: admin, 'accept-language': 'en' },
      payload: {},
    });
    expect([refused.statusCode, refused.json().status, refused.json().message]).toEqual([
      409,
      30101,
      'A version is already scheduled',
    ]);
    expect((await call('POST', `/${second.id}/publish`, {})).message).toBe('已有待生效版本');
    // There is one draft at a time, so what is scheduled cannot be taken back beside it.
    expect((await call('POST', `/${first.id}/unschedule`, {})).message).toBe('该协议已有草稿');
    await call('DELETE', `/${second.id}`);
    expect((await call('POST', `/${first.id}/unschedule`, {})).data.state).toBe('draft');
  });

  test('of five publications at once one acts, and never two versions are in force', async () => {
    await clear();
    const one = (await add()).data as { id: string };
    await call('POST', `/${one.id}/publish`, {});
    const { result } = (await call('POST', `/${one.id}/revise`, {})).data as { result: { id: string } };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', `/${result.id}/publish`, {})),
    );
    expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
    const states = await run<{ state: string }>(
      db(),
      `SELECT state FROM protocol_version WHERE type = 'payment' AND app = 'staff' ORDER BY edition`,
    );
    expect(states.map((row) => row.state)).toEqual(['archived', 'published']);
  });

  test('two drafts of one agreement, also from five revisions at once', async () => {
    await clear();
    const one = (await add()).data as { id: string };
    expect((await add()).message).toBe('该协议已有草稿');
    await call('POST', `/${one.id}/publish`, {});
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('POST', `/${one.id}/revise`, {})));
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find((answer) => answer.http === 409)!.message).toBe('该协议已有草稿');
  });

  test('texts over 200 KB and texts of nothing but forbidden tags', async () => {
    await clear();
    const long = await add({ body: `<p>${'长'.repeat(70_000)}</p>` });
    expect([long.http, long.data.fields.body]).toEqual([422, '最多 200 KB']);
    expect((await add({ body: '<script>alert(1)</script>' })).data.fields.body).toBe('此项必填');
    const clean = await add({ body: '<p onclick="x()">好<script>alert(1)</script></p>' });
    expect(clean.data.body).toBe('<p>好</p>');
    await clear();
  });

  test('deleting and editing what is no draft', async () => {
    await clear();
    const one = (await add()).data as { id: string };
    await call('POST', `/${one.id}/publish`, {});
    expect((await call('DELETE', `/${one.id}`)).message).toBe('当前状态为「已发布」，不能删除');
    for (const action of ['takeEffect', 'archive'])
      expect([action, (await call('POST', `/${one.id}/${action}`, {})).http]).toEqual([action, 404]);
  });
});

test('acceptance counts members once, its share is of those active in 30 days', async () => {
  await clear();
  const one = (await add({ type: 'merchant', app: 'owner' })).data as { id: string };
  await call('POST', `/${one.id}/publish`, {});
  await run(db(), `UPDATE member SET last_active_on = NULL`);
  const read = async () =>
    (await call('GET', `/${one.id}`)).data as { accepted: number; acceptedShare: string | null };
  // Without active members there is no share.
  expect(await read()).toMatchObject({ accepted: 0, acceptedShare: null });
  await run(
    db(),
    `UPDATE member SET last_active_on = (now() AT TIME ZONE 'Asia/Shanghai')::date - 29 WHERE id IN (SELECT id FROM member ORDER BY id LIMIT 3)`,
  );
  await run(
    db(),
    `INSERT INTO protocol_acceptance (protocol_version_id, member_id, app_source)
     (SELECT $1::bigint, id, 1 FROM member ORDER BY id LIMIT 2) UNION ALL (SELECT $1::bigint, id, 2 FROM member ORDER BY id DESC LIMIT 1)`,
    [Number(one.id)],
  );
  expect(await read()).toMatchObject({ accepted: 3, acceptedShare: '66.67' });
  await expect(
    run(
      db(),
      'INSERT INTO protocol_acceptance (protocol_version_id, member_id, app_source) SELECT protocol_version_id, member_id, 1 FROM protocol_acceptance WHERE protocol_version_id = $1 LIMIT 1',
      [Number(one.id)],
    ),
  ).rejects.toThrow('duplicate key');
});

describe('the difference of two texts', () => {
  test('is told by paragraphs of plain text', () => {
    expect(linesOf('<h2>一</h2><p>甲&nbsp;乙 &amp; <b>丙</b></p><ul><li>1</li><li>2<br>3</li></ul>')).toEqual(
      ['一', '甲 乙 & 丙', '1', '2', '3'],
    );
    expect(linesOf('&lt;p&gt;&#20320;&#x597d;&unknown;')).toEqual(['<p>你好&unknown;']);
  });

  test('keeps what is equal, pairs what was changed and marks the words of it', () => {
    const lines = diffLines(
      ['甲', '三个工作日内审核', '乙', '丙'],
      ['甲', '两个工作日内审核', '乙', '新', '丙'],
    );
    expect(lines.map((line) => line.kind)).toEqual(['same', 'changed', 'same', 'added', 'same']);
    expect(lines[1]!.left).toEqual([
      { text: '三', changed: true },
      { text: '个工作日内审核', changed: false },
    ]);
    expect(diffLines(['a'], []).map((line) => [line.kind, line.right])).toEqual([['removed', undefined]]);
    expect(diffLines([], [])).toEqual([]);
  });

  test('gives both texts back, whatever they are', () => {
    let state = 3;
    const next = (below: number) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % below;
    for (let turn = 0; turn < 50; turn++) {
      const text = () => Array.from({ length: next(12) }, () => 'abc'.slice(0, 1 + next(3)));
      const [left, right] = [text(), text()];
      const lines = diffLines(left, right);
      const side = (which: 'left' | 'right') =>
        lines.flatMap((line) => line[which]?.map((piece) => piece.text).join('') ?? []);
      expect([side('left'), side('right')]).toEqual([left, right]);
    }
  });
});
