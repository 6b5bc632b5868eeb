/** What residents of a project tell the property company. */
export const ADVICE_TYPES = {
  complaint: { label: ['投诉', 'Complaint'], tone: 'error' },
  suggestion: { label: ['建议', 'Suggestion'], tone: 'processing' },
  enquiry: { label: ['咨询', 'Enquiry'], tone: 'default' },
  praise: { label: ['表扬', 'Praise'], tone: 'success' },
} as const;

/** How it came in. */
export const ADVICE_SOURCES = {
  app: { label: ['业主App', 'Owner app'] },
  phone: { label: ['代录', 'Entered by staff'], tone: 'processing' },
  feedback: { label: ['意见反馈', 'App feedback'] },
} as const;

/** Kinds of advice somebody of customer service answers; praise goes to who answers suggestions. */
export const POOL_TYPES = {
  complaint: ADVICE_TYPES.complaint,
  suggestion: ADVICE_TYPES.suggestion,
  enquiry: ADVICE_TYPES.enquiry,
} as const;

export const SATISFACTIONS = {
  satisfied: { label: ['满意', 'Satisfied'], tone: 'success' },
  neutral: { label: ['一般', 'Neutral'], tone: 'default' },
  dissatisfied: { label: ['不满意', 'Dissatisfied'], tone: 'error' },
} as const;

export type AdviceType = keyof typeof ADVICE_TYPES;
export type AdviceSource = keyof typeof ADVICE_SOURCES;

/** Business hours until a reply, and days after a reply until it is closed by itself. */
export const REPLY_HOURS = 8;
export const CLOSE_DAYS = 7;

/** The pool of customer service a type belongs to. */
export const poolOf = (type: AdviceType): keyof typeof POOL_TYPES =>
  type === 'praise' ? 'suggestion' : type;
