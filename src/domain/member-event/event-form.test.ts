import { describe, expect, test } from 'vitest';
import type { Field } from '../../kernel/contract/fields.ts';
import { askedInputs, payloadOf, type EventForm } from './event-form.rules.ts';
import { MEMBER_EVENTS } from './handlers.server.ts';

const UUID = '0197b1a5-7c2e-7000-8000-000000000001';

/** What somebody might enter, as it is written. */
function sample(name: string, field: Field, as?: string): unknown {
  if (as === 'lines') return '甲\n\n 乙 ';
  if (field.pattern) return '123456';
  if (name === 'email') return 'a@b.cn';
  switch (field.kind) {
    case 'ref':
      return '7';
    case 'refs':
      return ['7'];
    case 'image':
      return UUID;
    case 'images':
      return [UUID];
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'date':
      return '2026-11-02';
    case 'instant':
      return '2026-11-02T10:00:00+08:00';
    case 'choice':
      return Object.keys(field.choices!)[0];
    default:
      return '今天天气不错';
  }
}

/** Every way through a form: one for each word that decides what else is asked for. */
function ways(form: EventForm): Record<string, unknown>[] {
  const full = Object.fromEntries(
    Object.entries(form).map(([name, { field, as }]) => [name, sample(name, field, as)]),
  );
  const deciding = Object.entries(form).find(
    ([name, { field }]) => field.choices && Object.values(form).some(({ when }) => when?.[0] === name),
  );
  return deciding
    ? Object.keys(deciding[1].field.choices!).map((word) => ({ ...full, [deciding[0]]: word }))
    : [full];
}

describe('forms of events that staff record', () => {
  const recorded = MEMBER_EVENTS.filter(({ form }) => form);

  test('a member alone changes the phone number; everything else of group 01 can be recorded', () => {
    expect(MEMBER_EVENTS.filter(({ form }) => !form).map(({ type }) => type)).toEqual(['phone_change']);
    expect(recorded.length).toBeGreaterThan(25);
  });

  test.each(recorded.map((kind) => [kind.type, kind] as const))(
    '%s: full and bare',
    (_type, { form, payload }) => {
      for (const values of ways(form!)) {
        const full = payload.safeParse(payloadOf(form!, values));
        expect(full.error?.issues ?? []).toEqual([]);
        // What is required is all that is needed.
        const bare = Object.fromEntries(
          askedInputs(form!, values)
            .filter((name) => form![name]!.field.required)
            .map((name) => [name, values[name]]),
        );
        const answer = payload.safeParse(payloadOf(form!, bare));
        expect(answer.error?.issues ?? []).toEqual([]);
      }
    },
  );

  test('what is not asked for is not sent; lines, numbers and parts inside stand where the payload has them', () => {
    const { form } = MEMBER_EVENTS.find(({ type }) => type === 'post.create')!;
    const filled = { kind: 'family', content: '早', options: '甲\n乙', multiple: true, tag: '3', group: '4' };
    expect(payloadOf(form!, filled)).toEqual({ kind: 'family', content: '早' });
    expect(payloadOf(form!, { ...filled, kind: 'chamber', endsAt: 'T' })).toEqual({
      kind: 'chamber',
      content: '早',
      tagId: '3',
      vote: { options: ['甲', '乙'], multiple: true, endsAt: 'T' },
    });
    const vote = MEMBER_EVENTS.find(({ type }) => type === 'vote.cast')!;
    expect(payloadOf(vote.form!, { post: '5', options: ['1', '3'] })).toEqual({
      postId: '5',
      options: [1, 3],
    });
  });
});
